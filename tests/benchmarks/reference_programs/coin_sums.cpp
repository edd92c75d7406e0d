#include <iostream>
int main() {
    int cents;
    std::cin >> cents;
    int quarters = cents / 25, dimes = cents % 25 / 10, nickels = cents % 25 % 10 / 5;
    std::cout << cents % 5 << "\n" << nickels << "\n" << dimes << "\n" << quarters << "\n";
}
