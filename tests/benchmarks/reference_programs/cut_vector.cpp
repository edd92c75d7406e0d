#include <cstdlib>
#include <iostream>
#include <vector>
int main() {
    int count;
    std::cin >> count;
    std::vector<long long> numbers(count);
    long long right = 0, left = 0, least = -1;
    for (auto& number : numbers) {
        std::cin >> number;
        right += number;
    }
    int best = 1;
    for (int cut = 1; cut < count; ++cut) {
        left += numbers[cut - 1];
        right -= numbers[cut - 1];
        long long gap = std::llabs(left - right);
        if (least == 0) break;
        if (least < 0 || gap <= least) {
            least = gap;
            best = cut;
        }
    }
    for (int index = 0; index < count; ++index) std::cout << (index == best ? "\n" : "") << numbers[index] << " ";
    std::cout << "\n" << (best >= count ? "\n" : "");
}
