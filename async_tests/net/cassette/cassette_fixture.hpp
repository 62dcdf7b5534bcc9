#pragma once

#include "net/http_fixture.hpp"

#include <weft/net/cassette.hpp>
#include <weft/testing/simulation.hpp>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

/** What the tests of cassettes share. */
namespace cassette_fixture {

namespace fs = std::filesystem;

/** A folder that goes with the test. */
class tape_folder {
public:
    tape_folder()
    {
        std::string pattern = (fs::temp_directory_path() / "weft_tapes_XXXXXX").string();
        path_ = ::mkdtemp(pattern.data());
    }
    tape_folder(const tape_folder&) = delete;
    ~tape_folder() { fs::remove_all(path_); }

    [[nodiscard]] fs::path file(std::string_view name = "test.cassette.json") const { return path_ / name; }
    [[nodiscard]] fs::path write(const std::string& text) const
    {
        std::ofstream{file()} << text;
        return file();
    }
    [[nodiscard]] std::string text() const
    {
        std::ostringstream text;
        text << std::ifstream{file()}.rdbuf();
        return text.str();
    }
    [[nodiscard]] std::size_t files() const
    {
        return static_cast<std::size_t>(std::distance(fs::directory_iterator{path_}, fs::directory_iterator{}));
    }

private:
    fs::path path_;
};

/** A cassette with these exchanges. */
inline std::string tape_text(const std::string& exchanges)
{
    return R"({"format": "weft cassette", "version": 1, "exchanges": [)" + exchanges + "]}";
}

/** An exchange of `GET http://x.test/` that streams three pieces, at 100, 1100 and 1200 ms, and ends at `end`. */
inline std::string streamed(const std::string& end = R"({"ms": 1200, "how": "complete"})")
{
    return R"({"request": {"method": "GET", "url": "http://x.test/", "headers": []},
        "response": {"ms": 50, "status": 200, "reason": "OK", "headers": [["Content-Type", "text/plain"]],
                     "chunks": [{"ms": 100, "text": "one "}, {"ms": 1100, "base64": "dHdvIA=="},
                                {"ms": 1200, "text": "three"}]},
        "end": )" + end + "}";
}

inline weft::http_client replaying(const fs::path& file, weft::http_client_options options = {})
{
    return weft::http_client{std::move(options), weft::cassette{file, weft::cassette_mode::replay}};
}

/** The error of a request in a simulation, which must fail. */
template <class T>
weft::error failure_of(weft::task<T> work)
{
    weft::testing::simulation world{1};
    try {
        (void)world.run(std::move(work));
    } catch (const weft::error& e) {
        return e;
    }
    BOOST_FAIL("the request succeeded");
    throw std::logic_error{"unreachable"};
}

inline weft::http_request post(const weft::url& target, std::string body)
{
    weft::http_request request{"POST", target};
    request.body(std::move(body), "application/json");
    return request;
}

}  // namespace cassette_fixture
