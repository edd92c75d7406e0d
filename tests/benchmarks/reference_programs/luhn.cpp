#include <iostream>
int main() {
    int count, digit, total = 0;
    std::cin >> count;
    for (int index = 0; index < count; ++index) {
        std::cin >> digit;
        int twice = 2 * digit;
        total += index % 2 ? digit : twice / 10 + twice % 10;
    }
    std::cout << total << "\n";
}
