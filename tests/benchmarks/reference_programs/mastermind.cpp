#include <algorithm>
#include <iostream>
#include <string>
int main() {
    std::string code, guess;
    std::cin >> code >> guess;
    int in_code[128] = {}, in_guess[128] = {}, black = 0, white = 0;
    for (int place = 0; place < 4; ++place) {
        if (code[place] == guess[place]) {
            ++black;
        } else {
            ++in_code[static_cast<int>(code[place])];
            ++in_guess[static_cast<int>(guess[place])];
        }
    }
    for (int colour = 0; colour < 128; ++colour) white += std::min(in_code[colour], in_guess[colour]);
    std::cout << white << "\n" << black << "\n";
}
