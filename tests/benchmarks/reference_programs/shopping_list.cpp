#include <cstdio>
#include <iostream>
#include <vector>
int main() {
    int count;
    std::cin >> count;
    std::vector<double> prices(count);
    for (double& price : prices) std::cin >> price;
    std::cin >> count;
    double total = 0;
    for (double price : prices) {
        double discount;
        std::cin >> discount;
        total += price * (1 - discount / 100);
    }
    std::printf("%.2f\n", total);
}
