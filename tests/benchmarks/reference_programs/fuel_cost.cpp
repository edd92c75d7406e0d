#include <iostream>
int main() {
    int count;
    std::cin >> count;
    long long fuel = 0;
    for (int index = 0; index < count; ++index) {
        long long mass;
        std::cin >> mass;
        fuel += mass / 3 - 2;
    }
    std::cout << fuel << "\n";
}
