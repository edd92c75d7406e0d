#include <iostream>
#include <string>
int main() {
    std::string digits;
    std::cin >> digits;
    int total = 0;
    for (std::size_t index = 1; index < digits.size(); ++index)
        if (digits[index] == digits[index - 1]) total += digits[index] - '0';
    std::cout << total << "\n";
}
