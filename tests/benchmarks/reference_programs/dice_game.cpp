#include <iostream>
int main() {
    double peter, colin;
    std::cin >> peter >> colin;
    std::cout.precision(10);
    std::cout << (peter <= colin ? (peter - 1) / (2 * colin) : 1 - (colin + 1) / (2 * peter)) << "\n";
}
