#include "access_log.hpp"

#include "graph/run_input.hpp"

#include <weft/base/clock.hpp>
#include <weft/base/system/ids.hpp>
#include <weft/base/text/trace_context.hpp>
#include <weft/engine/trace/run_event_json.hpp>

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <memory>

namespace weft_cli {

namespace {

std::int64_t micros(std::chrono::nanoseconds span)
{
    return std::chrono::duration_cast<std::chrono::microseconds>(span).count();
}

/** The words behind a word of a path: of `/threads/t/runs/r` behind `threads` it is `t`. Empty: there is none. */
std::string_view behind(std::string_view path, std::string_view word)
{
    const std::string_view::size_type at = path.find(word);
    if (at == path.npos) return {};
    const std::string_view rest = path.substr(at + word.size());
    return rest.substr(0, rest.find('/'));
}

void name_subject(boost::json::object& line, std::string_view path)
{
    const std::string_view thread = behind(path, "/threads/");
    if (!thread.empty() && thread != "search" && thread != "count") line["thread_id"] = thread;
    const std::string_view run = behind(path, "/runs/");
    if (weft::unique_id::parse(run)) line["run_id"] = run;
}

std::string line_of(const weft::http_access& done)
{
    boost::json::object line;
    line["at"] = weft::to_utc_text(weft::real_clock().system_now());
    line["peer"] = done.peer;
    line["method"] = done.method;
    line["path"] = done.target.substr(0, done.target.find('?'));
    name_subject(line, done.target.substr(0, done.target.find('?')));
    if (const auto trace = weft::trace_context::read(done.trace_parent, {}))
        line["trace_id"] = std::string_view{trace->parent}.substr(3, 32);
    line["status"] = done.status;
    line["bytes_in"] = done.bytes_in;
    line["bytes_out"] = done.bytes_out;
    line["first_byte_us"] = micros(done.first_byte);
    line["us"] = micros(done.whole);
    return boost::json::serialize(line);
}

}  // namespace

std::function<void(std::string_view line)> line_writer(std::string_view option, const std::string& file)
{
    std::shared_ptr<std::FILE> out;
    if (file == "-") {
        out = std::shared_ptr<std::FILE>{stdout, [](std::FILE*) {}};
    } else {
        std::FILE* const opened = std::fopen(file.c_str(), "a");
        if (!opened) throw usage_error{std::string{option} + " " + file + ": " + std::strerror(errno)};
        out = std::shared_ptr<std::FILE>{opened, [](std::FILE* closed) { std::fclose(closed); }};
    }
    // Lines come whole also when several processes write to one file.
    std::setvbuf(out.get(), nullptr, _IOLBF, 8192);
    return [out](std::string_view line) {
        std::string whole{line};
        whole += '\n';
        std::fwrite(whole.data(), 1, whole.size(), out.get());
    };
}

std::function<void(const weft::http_access&)> make_access_log(const std::string& file)
{
    return [write = line_writer("--access-log", file)](const weft::http_access& done) { write(line_of(done)); };
}

}  // namespace weft_cli
