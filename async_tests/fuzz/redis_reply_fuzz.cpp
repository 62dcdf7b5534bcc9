// Fuzzes the reader of Redis replies: however a stream is cut, the same replies come out, in bounded memory; and what
// is read as a list of texts can be written as a command and read again.
//   clang++ -std=c++20 -fsanitize=fuzzer,address,undefined -Iinclude async_tests/fuzz/redis_reply_fuzz.cpp …

#include <weft/store/redis/redis_command.hpp>

#include "store/redis/redis_reply_parser.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <string_view>

namespace {

using weft::redis_value;

// Each byte of the input below 0x80 stands for one of these, each other one for itself less the high bit.
constexpr std::string_view pieces[] = {
    "\r\n",    "+OK\r\n", "-ERR no\r\n", ":1\r\n",   ":-9223372036854775808\r\n", "$3\r\nabc\r\n", "$0\r\n\r\n",
    "$-1\r\n", "*2\r\n",  "*-1\r\n",     "*0\r\n",   "%1\r\n",                    "~1\r\n",        ">1\r\n",
    "|1\r\n",  "_\r\n",   "#t\r\n",      ",1.5\r\n", "(12345678901234567890\r\n", "=5\r\ntxt:x\r\n", "!3\r\nERR\r\n",
    "$9",      "*1",      "\r",          "\n",       "1",                         "a",
};

constexpr weft::redis_reply_limits limits{.line_bytes_max = 64, .reply_bytes_max = 4096, .depth_max = 5};

void require(bool holds)
{
    if (!holds) std::abort();
}

std::string spelled_out(const std::uint8_t* data, std::size_t size)
{
    std::string text;
    for (const std::uint8_t* byte = data; byte != data + size; ++byte) {
        if (*byte < 0x80)
            text += pieces[*byte % std::size(pieces)];
        else
            text += static_cast<char>(*byte & 0x7f);
    }
    return text;
}

/** @return How much memory it takes, at least. */
std::size_t write(std::string& log, const redis_value& value, std::size_t depth)
{
    require(depth <= limits.depth_max);
    std::uint64_t number = 0;
    std::memcpy(&number, &value.number, sizeof number);
    log += static_cast<char>('a' + static_cast<int>(value.what));
    log += std::to_string(value.integer) + ":" + std::to_string(number) + ":" + value.text + "(";
    std::size_t size = sizeof value + value.text.size();
    for (const redis_value& item : value.items) size += write(log, item, depth + 1);
    log += ")";
    return size;
}

void write_as_command(const redis_value& reply)
{
    if (!reply.is(redis_value::kind::array) || reply.items.empty()) return;
    for (const redis_value& item : reply.items)
        if (!item.is(redis_value::kind::text)) return;
    weft::redis_command command{reply.items[0].text};
    for (std::size_t i = 1; i < reply.items.size(); ++i) command.add(reply.items[i].text);
    weft::redis_reply_parser parser;
    const std::string text = command.text();
    parser.feed(text);
    const std::optional<redis_value> again = parser.next();
    std::string one;
    std::string other;
    write(one, reply, 0);
    require(again.has_value());
    write(other, *again, 0);
    require(one == other);
}

template <class NextSize>
std::string outcome(std::string_view input, NextSize next_size)
{
    weft::redis_reply_parser parser{limits};
    std::string log;
    while (!input.empty()) {
        const std::size_t size = std::min<std::size_t>(next_size(), input.size());
        const auto piece = std::make_unique<char[]>(size);
        input.copy(piece.get(), size);
        input.remove_prefix(size);
        parser.feed({piece.get(), size});
        while (const std::optional<redis_value> reply = parser.next()) {
            require(write(log, *reply, 0) <= 2 * limits.reply_bytes_max);
            log += '\n';
            write_as_command(*reply);
        }
    }
    // What is shown of a line may differ where it was cut by its limit.
    return log + (parser.has_failed() ? "failed" : parser.is_inside_reply() ? "more" : "");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const std::string input = spelled_out(data, size);
    const std::string whole = outcome(input, [&] { return input.size() + 1; });
    std::minstd_rand random{static_cast<unsigned>(size) + 1};
    require(outcome(input, [] { return std::size_t{1}; }) == whole);
    require(outcome(input, [&] { return 1 + random() % 9; }) == whole);
    return 0;
}
