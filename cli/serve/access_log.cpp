#include "access_log.hpp"

#include "graph/run_input.hpp"

#include <weft/base/clock.hpp>
#include <weft/engine/trace/run_event_json.hpp>

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include <cerrno>
#include <chrono>
#include <cstring>

namespace weft_cli {

namespace {

std::int64_t micros(std::chrono::nanoseconds span)
{
    return std::chrono::duration_cast<std::chrono::microseconds>(span).count();
}

std::string line_of(const weft::http_access& done)
{
    boost::json::object line;
    line["at"] = weft::to_utc_text(weft::real_clock().system_now());
    line["peer"] = done.peer;
    line["method"] = done.method;
    line["path"] = done.target.substr(0, done.target.find('?'));
    line["status"] = done.status;
    line["bytes_in"] = done.bytes_in;
    line["bytes_out"] = done.bytes_out;
    line["first_byte_us"] = micros(done.first_byte);
    line["us"] = micros(done.whole);
    return boost::json::serialize(line) + '\n';
}

}  // namespace

std::function<void(const weft::http_access&)> make_access_log(const std::string& file)
{
    std::shared_ptr<std::FILE> out;
    if (file == "-") {
        out = std::shared_ptr<std::FILE>{stdout, [](std::FILE*) {}};
    } else {
        std::FILE* const opened = std::fopen(file.c_str(), "a");
        if (!opened) throw usage_error{"--access-log " + file + ": " + std::strerror(errno)};
        out = std::shared_ptr<std::FILE>{opened, [](std::FILE* closed) { std::fclose(closed); }};
    }
    // Lines come whole also when several processes write to one file.
    std::setvbuf(out.get(), nullptr, _IOLBF, 8192);
    return [out](const weft::http_access& done) {
        const std::string line = line_of(done);
        std::fwrite(line.data(), 1, line.size(), out.get());
    };
}

}  // namespace weft_cli
