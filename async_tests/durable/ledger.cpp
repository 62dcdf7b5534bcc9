#include "ledger.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <fstream>
#include <stdexcept>

namespace weft_tests {

ledger::ledger(const std::string& file)
    : file_{::open(file.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600)}
{
    if (file_ < 0) throw std::runtime_error{"the ledger " + file + " cannot be opened"};
}

ledger::~ledger() { ::close(file_); }

void ledger::note(const std::vector<std::string>& words) const
{
    std::string line;
    for (const std::string& word : words) line.append(line.empty() ? "" : " ").append(word);
    line.push_back('\n');
    if (::write(file_, line.data(), line.size()) != static_cast<ssize_t>(line.size()))
        throw std::runtime_error{"the ledger cannot be written"};
}

std::vector<std::vector<std::string>> read_ledger(const std::string& file, std::size_t count)
{
    std::ifstream in{file};
    std::vector<std::vector<std::string>> lines;
    for (std::string line; std::getline(in, line);) {
        std::vector<std::string>& words = lines.emplace_back();
        std::size_t begin = 0;
        while (words.size() + 1 < count) {
            const std::size_t end = line.find(' ', begin);
            if (end == std::string::npos) break;
            words.push_back(line.substr(begin, end - begin));
            begin = end + 1;
        }
        words.push_back(line.substr(begin));
    }
    return lines;
}

}  // namespace weft_tests
