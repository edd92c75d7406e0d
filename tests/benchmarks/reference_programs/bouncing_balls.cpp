#include <iostream>
int main() {
    double first, second;
    int bounces;
    std::cin >> first >> second >> bounces;
    double ratio = second / first, height = first, distance = 0;
    while (bounces-- > 0) {
        distance += height;
        height *= ratio;
        distance += height;
    }
    std::cout.precision(12);
    std::cout << distance << "\n";
}
