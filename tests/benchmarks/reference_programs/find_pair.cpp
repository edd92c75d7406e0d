#include <iostream>
#include <vector>
int main() {
    int count, target;
    std::cin >> count;
    std::vector<int> numbers(count);
    for (int& number : numbers) std::cin >> number;
    std::cin >> target;
    for (int one = 0; one < count; ++one)
        for (int other = one + 1; other < count; ++other)
            if (numbers[one] + numbers[other] == target) std::cout << numbers[one] << "\n" << numbers[other] << "\n";
}
