#pragma once

#include <weft/net/options/cassette_options.hpp>

#include <cstddef>
#include <filesystem>
#include <memory>

namespace weft {

namespace net_detail {
class cassette_tape;
}

/** What a cassette does with requests. */
enum class cassette_mode {
    replay,          ///< Answers from the file, and never from the network.
    record,          ///< Sends everything, and writes a new file.
    record_missing,  ///< Answers from the file what is there, and adds the rest to it.
};

/** HTTP exchanges in a file: recorded once from a real server, replayed in tests without one.
 *
 *      const weft::cassette tape{"hello.cassette.json", weft::cassette_mode::replay};
 *      weft::openai_model model{weft::http_client{options, tape}, {.model = "gpt-x", .key = key}};
 *
 *  A request is known again by its method, its URL and its body, where JSON compares as a value: the order of members
 *  and white space do not count. Of equal requests the first gets the first answer, and each answer is given once. A
 *  response comes in the pieces, at the times and with the end that it had, a failure included; the times pass on the
 *  clock of the loop, so that a simulation jumps over them, and the timeouts of the client hold as over a network.
 *
 *  Secrets are not written: those of the request (`http_request::secret`) and of the options that have at least four
 *  characters are hidden wherever they stand, in headers, URLs, bodies and answers, and so are the values of headers
 *  and query parameters with telling names. In an answer as many `*` take their place; elsewhere it is `***`, so that a
 *  request with another key is known again.
 *
 *  The file is JSON: `format`, `version`, and the exchanges in the order of their requests. It is written as a whole
 *  beside the old one and then takes its place, by `save` and when the last copy and the last client with it go.
 *
 *  @par Errors          From the constructor:
 *    - `errc::invalid_configuration`  the file cannot be read, or is of another version; where: its path.
 *    - `errc::invalid_json`, `errc::unexpected_json`   it is no cassette; where: its path.
 *    - `errc::limit_reached`          it is larger than `bytes_max`.
 *    From `http_client::send` of a client with it:
 *    - `errc::script_exhausted`       nothing is recorded for the request; the detail names the closest one that is,
 *                                     and where it differs: `$.messages[1].content`.
 *    - `errc::limit_reached`          the recording becomes larger than `bytes_max`; also from reading a response.
 *  @par Thread safety   All operations from any OS thread. Copies share everything.
 *  @par Lifetimes       Independent of the clients that use it. A response that is under way is written when it ends.
 */
class cassette {
public:
    cassette(std::filesystem::path file, cassette_mode mode, cassette_options options = cassette_options{});

    /** Writes what was recorded to the file; nothing if nothing was.
     *
     *  @par Errors
     *    - `errc::invalid_configuration`  it cannot be written; where: its path. */
    void save() const;

    /** How many exchanges there are, recorded and read. */
    [[nodiscard]] std::size_t size() const;
    /** How many of them were not asked for so far: a test may want none left. */
    [[nodiscard]] std::size_t unused() const;

    /** For `http_client`. */
    [[nodiscard]] const std::shared_ptr<net_detail::cassette_tape>& tape() const noexcept { return tape_; }

private:
    std::shared_ptr<net_detail::cassette_tape> tape_;
};

}  // namespace weft
