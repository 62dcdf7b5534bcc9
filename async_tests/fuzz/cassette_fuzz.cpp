// Fuzzes the files of cassettes: one is read and answers a request on virtual time, or is refused with its path.
//   clang++ -std=c++20 -fsanitize=fuzzer,address,undefined -Iinclude async_tests/fuzz/cassette_fuzz.cpp …

#include "stream_pieces.hpp"

#include <weft/net/cassette.hpp>
#include <weft/net/http_client.hpp>
#include <weft/net/http_response.hpp>
#include <weft/testing/simulation.hpp>

#include <filesystem>
#include <fstream>

#include <unistd.h>

namespace {

using stream_pieces::require;
namespace fs = std::filesystem;

constexpr std::string_view pieces[] = {
    R"({"format": "weft cassette", "version": 1, "exchanges": [)",
    "]}",
    "{",
    "}",
    ",",
    R"("request": {"method": "GET", "url": "https://a.example/x", "headers": []})",
    R"("request": {"method": "POST", "url": "https://a.example/x", "headers": [["a","b"]], "body": {"json": {}}})",
    R"("response": {"ms": 5, "status": 200, "reason": "OK", "headers": [["content-type","text/plain"]], "chunks": )",
    R"("response": {"ms": -5, "status": 99999, "reason": "", "headers": [["","\r\n"]], "chunks": )",
    R"([{"ms": 7, "text": "hello"}])",
    R"([{"ms": 9223372036854775807, "base64": "aGVsbG8="}, {"ms": -1, "base64": "%"}, {"ms": 1}])",
    R"("end": {"ms": 8, "how": "complete"})",
    R"("end": {"ms": 8, "how": "closed"})",
    R"("end": {"ms": 8, "how": "failed", "error": "gap_timeout", "detail": "d"})",
    R"("end": {"ms": 8, "how": "failed", "error": "no such code"})",
    R"("request": )",
    R"("response": )",
    R"("end": )",
    "null",
    "[]",
    "\"\"",
    "-1",
    "\n",
};

const fs::path& file()
{
    static const fs::path path = fs::temp_directory_path() / ("weft_cassette_fuzz." + std::to_string(::getpid()));
    return path;
}

weft::task<void> ask(weft::http_client client)
{
    try {
        weft::http_request request{"GET", weft::url{"https://a.example/x"}};
        weft::http_response response = co_await client.send(std::move(request));
        const std::string body = co_await response.read_all(1024 * 1024);
        require(response.status() >= 100 && response.status() <= 999);
    } catch (const weft::error&) {
        // What the cassette says, or that it says nothing.
    }
}

void replay()
{
    const weft::cassette tape{file(), weft::cassette_mode::replay};
    require(tape.unused() == tape.size());
    weft::testing::simulation_limits limits;
    limits.elapsed_max = std::chrono::hours{24 * 365 * 10};
    weft::testing::simulation world{1, limits};
    world.run(ask(weft::http_client{weft::http_client_options{}, tape}));
    require(tape.unused() <= tape.size());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const std::string text = stream_pieces::spelled_out(pieces, data, size);
    std::ofstream{file(), std::ios::binary} << text;
    try {
        replay();
    } catch (const weft::error& e) {
        require(e.where() == file().string());
    }
    fs::remove(file());
    return 0;
}
