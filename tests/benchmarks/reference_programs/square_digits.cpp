#include <iostream>
#include <string>
int main() {
    std::string digits;
    std::cin >> digits;
    for (char digit : digits) std::cout << (digit - '0') * (digit - '0');
    std::cout << "\n";
}
