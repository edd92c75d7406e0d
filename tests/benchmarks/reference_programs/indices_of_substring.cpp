#include <iostream>
#include <string>
int main() {
    std::string text, target;
    std::getline(std::cin, text);
    std::getline(std::cin, target);
    bool first = true;
    for (std::size_t at = text.find(target); at != std::string::npos; at = text.find(target, at + 1)) {
        std::cout << (first ? "" : " ") << at;
        first = false;
    }
    std::cout << "\n";
}
