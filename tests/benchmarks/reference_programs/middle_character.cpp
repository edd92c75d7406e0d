#include <iostream>
#include <string>
int main() {
    std::string text;
    std::getline(std::cin, text);
    std::size_t half = text.size() / 2;
    std::cout << (text.size() % 2 ? text.substr(half, 1) : text.substr(half - 1, 2)) << "\n";
}
