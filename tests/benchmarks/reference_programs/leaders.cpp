#include <iostream>
#include <string>
#include <vector>
int main() {
    int count;
    std::cin >> count;
    std::vector<int> numbers(count);
    for (int& number : numbers) std::cin >> number;
    std::string line;
    int largest = -1;
    for (int index = count - 1; index >= 0; --index) {
        if (numbers[index] < largest) continue;
        largest = numbers[index];
        line = std::to_string(largest) + (line.empty() ? "" : " ") + line;
    }
    std::cout << line << "\n";
}
