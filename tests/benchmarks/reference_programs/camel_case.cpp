#include <cctype>
#include <iostream>
#include <string>
int main() {
    std::string text;
    std::getline(std::cin, text);
    for (std::size_t index = 0; index < text.size(); ++index) {
        if (text[index] == '-') std::cout << static_cast<char>(std::toupper(text[++index]));
        else std::cout << text[index];
    }
    std::cout << "\n";
}
