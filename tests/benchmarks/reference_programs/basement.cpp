#include <iostream>
int main() {
    int count, step, floor = 0;
    std::cin >> count;
    for (int index = 0; index < count; ++index) {
        std::cin >> step;
        floor += step;
        if (floor < 0) {
            std::cout << index << "\n";
            return 0;
        }
    }
}
