#include <iostream>
#include <map>
#include <string>
int main() {
    std::string plain, cipher, message;
    std::getline(std::cin, plain);
    std::getline(std::cin, cipher);
    std::getline(std::cin, message);
    std::map<char, char> key;
    for (std::size_t place = 0; place < plain.size(); ++place) key[plain[place]] = cipher[place];
    for (char letter : message) std::cout << key[letter];
    std::cout << "\n";
}
