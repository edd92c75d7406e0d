#include <iostream>
int main() {
    int hours;
    double snow, snowfall, melting;
    std::cin >> hours >> snow >> snowfall >> melting;
    for (int hour = 0; hour < hours; ++hour) {
        snow -= snow * melting;
        snow += snowfall;
    }
    std::cout.precision(12);
    std::cout << snow << "\n";
}
