#include <iostream>
#include <string>
int main() {
    std::string text;
    std::cin >> text;
    bool value = text[0] == 't';
    for (std::size_t at = 1; at + 1 < text.size(); at += 2) {
        bool other = text[at + 1] == 't';
        value = text[at] == '&' ? (value && other) : (value || other);
    }
    std::cout << (value ? "true" : "false") << "\n";
}
