#include <algorithm>
#include <iostream>
#include <string>
int main() {
    std::string text;
    std::getline(std::cin, text);
    auto start = text.begin();
    while (start != text.end()) {
        auto end = std::find(start, text.end(), ' ');
        if (end - start >= 5) std::reverse(start, end);
        start = end == text.end() ? end : end + 1;
    }
    std::cout << text << "\n";
}
