// Calls the function that a candidate defines, with arguments read from descriptor 4, and writes what it returns to
// descriptor 3. The types are the function's own: the arguments are converted to what its parameters are, so that
// `int f(int)` and `long long f(long long)` are both answers to the same problem.
//
// Arguments: one letter a value. i<decimal>; f<decimal or hexadecimal>; b0; b1; n (none) s<length>:<bytes>
// l<count>:<values> (list, set, tuple) d<count>:<key><value>...
// Result: JSON with the tags of plain data.

#include <unistd.h>

#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <list>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

namespace evo_driver {

[[noreturn]] inline void refuse(const char* what) {
    std::fprintf(stderr, "the function's parameters do not fit the problem's: %s\n", what);
    std::_Exit(113);
}

class Arguments {
public:
    explicit Arguments(int descriptor) {
        char block[65536];
        for (ssize_t count; (count = ::read(descriptor, block, sizeof block)) > 0;) text_.append(block, count);
    }

    char kind() const { return at_ < text_.size() ? text_[at_] : '\0'; }

    void expect(char kind_wanted, const char* what) {
        if (kind() != kind_wanted) refuse(what);
        ++at_;
    }

    long long integer() {
        if (kind() == 'b') {
            ++at_;
            return number(';') == "1";
        }
        expect('i', "an integer was expected");
        return std::strtoll(number(';').c_str(), nullptr, 10);
    }

    double real() {
        if (kind() != 'f') return static_cast<double>(integer());
        ++at_;
        return std::strtod(number(';').c_str(), nullptr);
    }

    std::size_t size() { return std::strtoull(number(':').c_str(), nullptr, 10); }

    std::string text() {
        expect('s', "a string was expected");
        const std::size_t length = size();
        std::string value = text_.substr(at_, length);
        at_ += length;
        return value;
    }

private:
    std::string number(char end) {
        const std::size_t stop = text_.find(end, at_);
        std::string digits = text_.substr(at_, stop - at_);
        at_ = stop + 1;
        return digits;
    }

    std::string text_;
    std::size_t at_ = 0;
};

template <class T> struct Value;

template <class T> T read(Arguments& from) { return Value<T>::read(from); }

template <class T> void write(std::string& to, const T& value) { Value<T>::write(to, value); }

inline void write_text(std::string& to, std::string_view text) {
    to += '"';
    for (const char c : text) {
        const unsigned char byte = static_cast<unsigned char>(c);
        if (byte < 0x20 || c == '"' || c == '\\') {
            char escaped[8];
            std::snprintf(escaped, sizeof escaped, "\\u%04x", byte);
            to += escaped;
        } else {
            to += c;
        }
    }
    to += '"';
}

template <class T, class = void> struct Number;

template <class T> struct Number<T, std::enable_if_t<std::is_integral_v<T>>> {
    static T read(Arguments& from) { return static_cast<T>(from.integer()); }
    static void write(std::string& to, T value) { to += std::to_string(value); }
};

template <class T> struct Number<T, std::enable_if_t<std::is_floating_point_v<T>>> {
    static T read(Arguments& from) { return static_cast<T>(from.real()); }
    static void write(std::string& to, T value) {
        if (std::isnan(value)) {
            to += "{\"float\":\"nan\"}";
        } else if (std::isinf(value)) {
            to += value > 0 ? "{\"float\":\"inf\"}" : "{\"float\":\"-inf\"}";
        } else {
            char digits[40];
            std::snprintf(digits, sizeof digits, "%.17g", static_cast<double>(value));
            to += digits;
        }
    }
};

template <class T> struct Value : Number<T> {};

template <> struct Value<bool> {
    static bool read(Arguments& from) { return from.integer() != 0; }
    static void write(std::string& to, bool value) { to += value ? "true" : "false"; }
};

template <> struct Value<char> {
    static char read(Arguments& from) {
        if (from.kind() != 's') return static_cast<char>(from.integer());
        const std::string text = from.text();
        if (text.size() != 1) refuse("a string of one character was expected");
        return text[0];
    }
    static void write(std::string& to, char value) { write_text(to, std::string_view(&value, 1)); }
};

template <> struct Value<std::string> {
    static std::string read(Arguments& from) { return from.text(); }
    static void write(std::string& to, const std::string& value) { write_text(to, value); }
};

template <> struct Value<std::string_view> {
    static void write(std::string& to, std::string_view value) { write_text(to, value); }
};

template <> struct Value<const char*> {
    static void write(std::string& to, const char* value) { write_text(to, value); }
};

template <class T> struct Value<std::optional<T>> {
    static std::optional<T> read(Arguments& from) {
        if (from.kind() != 'n') return evo_driver::read<T>(from);
        from.expect('n', "none was expected");
        return std::nullopt;
    }
    static void write(std::string& to, const std::optional<T>& value) {
        if (value) {
            evo_driver::write(to, *value);
        } else {
            to += "null";
        }
    }
};

template <class C> void write_items(std::string& to, const C& items) {
    to += '[';
    bool first = true;
    for (auto it = items.begin(); it != items.end(); ++it) {
        if (!first) to += ',';
        first = false;
        evo_driver::write<typename C::value_type>(to, *it);
    }
    to += ']';
}

template <class C> struct Sequence {
    static C read(Arguments& from) {
        if (from.kind() == 'd') {
            from.expect('d', "");
        } else {
            from.expect('l', "a list was expected");
        }
        C items;
        for (std::size_t left = from.size(); left > 0; --left) {
            items.insert(items.end(), evo_driver::read<typename C::value_type>(from));
        }
        return items;
    }
    static void write(std::string& to, const C& items) { write_items(to, items); }
};

template <class T, class A> struct Value<std::vector<T, A>> : Sequence<std::vector<T, A>> {};
template <class T, class A> struct Value<std::list<T, A>> : Sequence<std::list<T, A>> {};
template <class T, class A> struct Value<std::deque<T, A>> : Sequence<std::deque<T, A>> {};
template <class T, class C, class A> struct Value<std::set<T, C, A>> : Sequence<std::set<T, C, A>> {};
template <class T, class C, class A> struct Value<std::multiset<T, C, A>> : Sequence<std::multiset<T, C, A>> {};
template <class T, class H, class E, class A>
struct Value<std::unordered_set<T, H, E, A>> : Sequence<std::unordered_set<T, H, E, A>> {};

template <class T, std::size_t N> struct Value<std::array<T, N>> {
    static std::array<T, N> read(Arguments& from) {
        from.expect('l', "a list was expected");
        if (from.size() != N) refuse("a list of another length was expected");
        std::array<T, N> items;
        for (T& item : items) item = evo_driver::read<T>(from);
        return items;
    }
    static void write(std::string& to, const std::array<T, N>& items) { write_items(to, items); }
};

template <class M> struct Mapping {
    static M read(Arguments& from) {
        from.expect('d', "a dictionary was expected");
        M items;
        for (std::size_t left = from.size(); left > 0; --left) {
            auto key = evo_driver::read<typename M::key_type>(from);
            items.emplace(std::move(key), evo_driver::read<typename M::mapped_type>(from));
        }
        return items;
    }
    static void write(std::string& to, const M& items) {
        to += "{\"dict\":[";
        bool first = true;
        for (const auto& [key, value] : items) {
            to += first ? "[" : ",[";
            first = false;
            evo_driver::write<typename M::key_type>(to, key);
            to += ',';
            evo_driver::write<typename M::mapped_type>(to, value);
            to += ']';
        }
        to += "]}";
    }
};

template <class K, class V, class C, class A> struct Value<std::map<K, V, C, A>> : Mapping<std::map<K, V, C, A>> {};
template <class K, class V, class H, class E, class A>
struct Value<std::unordered_map<K, V, H, E, A>> : Mapping<std::unordered_map<K, V, H, E, A>> {};

template <class... T> struct Value<std::tuple<T...>> {
    static std::tuple<T...> read(Arguments& from) {
        from.expect('l', "a tuple was expected");
        if (from.size() != sizeof...(T)) refuse("a tuple of another length was expected");
        return std::tuple<T...>{evo_driver::read<T>(from)...};
    }
    static void write(std::string& to, const std::tuple<T...>& items) {
        to += "{\"tuple\":[";
        const char* comma = "";
        std::apply([&](const T&... item) { ((to += comma, comma = ",", evo_driver::write<T>(to, item)), ...); }, items);
        to += "]}";
    }
};

template <class T, class U> struct Value<std::pair<T, U>> {
    static std::pair<T, U> read(Arguments& from) {
        // A pair stands for a tuple of two, and for an entry of a dictionary that is given as a list of pairs.
        if (from.kind() == 'l') {
            from.expect('l', "");
            if (from.size() != 2) refuse("a tuple of two was expected");
        }
        T first = evo_driver::read<T>(from);
        return {std::move(first), evo_driver::read<U>(from)};
    }
    static void write(std::string& to, const std::pair<T, U>& pair) {
        to += "{\"tuple\":[";
        evo_driver::write<T>(to, pair.first);
        to += ',';
        evo_driver::write<U>(to, pair.second);
        to += "]}";
    }
};

template <class T> struct Kept {
    using type = std::decay_t<T>;
};
template <> struct Kept<std::string_view> {
    using type = std::string;
};
template <class T> using kept = typename Kept<std::remove_cv_t<std::remove_reference_t<T>>>::type;

template <class P, class K> P pass(K& value) {
    if constexpr (std::is_reference_v<P>) {
        return static_cast<P>(value);
    } else {
        return P(std::move(value));
    }
}

inline int finish(const std::string& result) {
    std::string text = "{\"result\":" + result + "}";
    std::fflush(nullptr);
    const char* at = text.data();
    for (std::size_t left = text.size(); left > 0;) {
        const ssize_t count = ::write(3, at, left);
        if (count <= 0) return 114;
        at += count;
        left -= static_cast<std::size_t>(count);
    }
    return 0;
}

// By the types of the function's own parameters; those beyond the problem's keep their default values.
template <std::size_t N, class F, class R, class... P, std::size_t... I>
int call(F function, R (*)(P...), std::index_sequence<I...>) {
    static_assert(sizeof...(P) >= N, "the function takes fewer parameters than the problem has arguments");
    static_assert(!std::is_void_v<R>, "the function returns nothing");
    using Parameters = std::tuple<P...>;
    Arguments from(4);
    std::tuple<kept<std::tuple_element_t<I, std::tuple<P...>>>...> values{
        read<kept<std::tuple_element_t<I, std::tuple<P...>>>>(from)...};
    using Result = std::decay_t<R>;
    std::string result;
    const Result returned = function(pass<std::tuple_element_t<I, Parameters>>(std::get<I>(values))...);
    write<Result>(result, returned);
    return finish(result);
}

template <std::size_t N, class F, class R, class... P> int run(F function, R (*pointer)(P...)) {
    return call<N>(function, pointer, std::make_index_sequence<N>());
}

// By the types of the problem, for a function that is overloaded or a template.
template <class... T, class F> int run_as(F function) {
    Arguments from(4);
    std::tuple<T...> values{read<T>(from)...};
    std::string result;
    const auto returned = std::apply([&](T&... value) { return function(value...); }, values);
    write<std::decay_t<decltype(returned)>>(result, returned);
    return finish(result);
}

}  // namespace evo_driver
