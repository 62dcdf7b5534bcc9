// Fuzzes the event stream parser: however a stream is cut, the same events come out, in bounded memory.
//   clang++ -std=c++20 -fsanitize=fuzzer,address,undefined -Iinclude async_tests/fuzz/sse_fuzz.cpp …

#include <weft/net/sse_parser.hpp>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <random>
#include <string>
#include <string_view>

namespace {

constexpr weft::sse_options options{
    .dialect = weft::sse_dialect::llm, .line_bytes_max = 64, .event_bytes_max = 128};

void write(std::string& log, const weft::sse_event& e)
{
    // Wrong UTF-8 may grow threefold when it is repaired, but no further.
    if (e.data.size() > 3 * options.event_bytes_max || e.error.size() > 3 * options.line_bytes_max) std::abort();
    for (const std::string_view part : {e.type, e.data, e.id, e.error})
        log.append(std::to_string(part.size())).append(":").append(part);
    log += '\n';
}

template <class NextSize>
std::string parse(std::string_view input, NextSize next_size)
{
    weft::sse_parser parser{options};
    std::string log;
    while (!input.empty()) {
        const std::size_t size = std::min<std::size_t>(next_size(), input.size());
        const auto piece = std::make_unique<char[]>(size);
        input.copy(piece.get(), size);
        input.remove_prefix(size);
        parser.feed({piece.get(), size});
        while (const weft::sse_event* e = parser.next()) write(log, *e);
    }
    if (const weft::sse_event* e = parser.finish()) write(log += "pending ", *e);
    if (parser.raw_json().size() > 64 * 1024) std::abort();
    log.append(parser.raw_json()).append(parser.last_event_id());
    if (parser.retry()) log += std::to_string(parser.retry()->count());
    return log += parser.has_failed() ? "failed" : "";
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const std::string_view input{reinterpret_cast<const char*>(data), size};
    const std::string whole = parse(input, [&] { return size; });
    std::minstd_rand random{static_cast<unsigned>(size) + 1};
    if (parse(input, [] { return std::size_t{1}; }) != whole) std::abort();
    if (parse(input, [&] { return random() % 9; }) != whole) std::abort();
    return 0;
}
