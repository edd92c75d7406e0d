#include <iostream>
#include <string>
#include <vector>
int main() {
    std::string balls;
    std::getline(std::cin, balls);
    std::vector<int> pins;
    for (char ball : balls) {
        if (ball == 'X') pins.push_back(10);
        else if (ball == '/') pins.push_back(10 - pins.back());
        else if (ball == '-') pins.push_back(0);
        else pins.push_back(ball - '0');
    }
    int total = 0;
    std::size_t at = 0;
    for (int frame = 0; frame < 10; ++frame) {
        int two = pins[at] + pins[at + 1];
        if (pins[at] == 10) {
            total += two + pins[at + 2];
            at += 1;
        } else {
            total += two == 10 ? two + pins[at + 2] : two;
            at += 2;
        }
    }
    std::cout << total << "\n";
}
