#include <cmath>
#include <iostream>
#include <vector>
int main() {
    int count;
    std::cin >> count;
    std::vector<double> one(count);
    for (double& value : one) std::cin >> value;
    std::cin >> count;
    double sum = 0, value;
    for (double first : one) {
        std::cin >> value;
        sum += std::pow(first - value, 2);
    }
    std::cout.precision(12);
    std::cout << std::sqrt(sum) << "\n";
}
