// Fuzzes the reader of logs and the trace made of them: whatever the text, it ends with a log or with an error that
// names a line; what is read is written and read as the same; and the critical path covers the run without holes.
//   clang++ -std=c++20 -fsanitize=fuzzer,address,undefined -Iinclude async_tests/fuzz/run_log_fuzz.cpp …

#include <weft/base/error.hpp>
#include <weft/base/json/json_text.hpp>
#include <weft/engine/trace/run_log.hpp>
#include <weft/engine/trace/run_trace.hpp>

#include <cstdint>
#include <cstdlib>
#include <optional>
#include <sstream>
#include <string>

namespace {

void require(bool holds)
{
    if (!holds) std::abort();
}

std::optional<weft::run_log> read(const std::string& text)
{
    std::istringstream from{text};
    try {
        return weft::read_run_log(from, {.line_bytes_max = 1u << 16, .events_max = 10'000});
    } catch (const weft::error& e) {
        require(e.where().starts_with("line "));
        return std::nullopt;
    }
}

std::string events_of(const weft::run_log& log)
{
    std::string lines;
    for (const weft::run_event& event : log.events()) lines += weft::to_json_text(to_json(event, {})) + "\n";
    return lines;
}

void check_path(const weft::run_trace& trace)
{
    weft::run_trace::span at{};
    for (const weft::run_trace::step& step : trace.critical_path) {
        require(step.start == at && step.end > step.start);
        require(step.visit == weft::run_trace::none || step.visit < trace.visits.size());
        at = step.end;
    }
    require(at == trace.elapsed);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const std::optional<weft::run_log> log = read(std::string{reinterpret_cast<const char*>(data), size});
    if (!log) return 0;
    const std::string lines = events_of(*log);
    const std::optional<weft::run_log> again = read(lines);
    require(again && events_of(*again) == lines);
    const weft::run_trace trace = trace_of(*log);
    check_path(trace);
    (void)to_json(trace);
    return 0;
}
