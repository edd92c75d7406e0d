#include <iostream>
#include <numeric>
int main() {
    long long first, second;
    std::cin >> first >> second;
    std::cout << std::gcd(first, second) << "\n";
}
