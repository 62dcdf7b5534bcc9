#pragma once

// A mock server of others, and what it says that it was sent.

#include "interop/interop_checks.hpp"

#include <weft/model/chat_model.hpp>
#include <weft/net/http_client.hpp>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace interop::agents {

/** Which API is spoken, and who answers. */
enum class dialect { openai, anthropic, responses, gemini, ollama, other_openai };

/** A request that came to the server, as OpenAI's API has it: the first mock reads those of other APIs as that too. */
struct seen_request {
    dialect api = dialect::openai;
    std::string path;
    boost::json::object headers;
    boost::json::object body;
    int status = 0;

    [[nodiscard]] const boost::json::array& messages() const { return body.at("messages").as_array(); }
    [[nodiscard]] std::string header(std::string_view name) const;
    /** All that the system says. */
    [[nodiscard]] std::string system() const;
    /** The newest text of a role; `nothing` if there is none. */
    [[nodiscard]] std::string last_of(std::string_view role) const;
    /** `system user assistant[call_1 call_2] tool[call_1] tool[call_2]`, as far as its API has ids. */
    [[nodiscard]] std::string shape() const;
    /** `book weather`, in the order of the alphabet. */
    [[nodiscard]] std::string tool_names() const;
    /** The schema of a tool's arguments; an empty object if there is no such tool. */
    [[nodiscard]] boost::json::object schema_of(std::string_view tool) const;
};

class mock_server {
public:
    /** @param root   `https://localhost:4711` */
    mock_server(std::string root, dialect which) : root_{std::move(root)}, which_{which} {}

    [[nodiscard]] dialect which() const noexcept { return which_; }
    [[nodiscard]] const std::string& root() const noexcept { return root_; }
    [[nodiscard]] std::shared_ptr<weft::chat_model> model(std::string key = "right") const;

    /** The requests since the last call. Checks of each that it is one that a server must take. */
    [[nodiscard]] std::vector<seen_request> news();
    /** Waits until that many clients in all have gone away in the middle of their answers; ten seconds at most. */
    void await_departures(std::size_t count) const;
    /** Waits until that many requests in all have come; ten seconds at most. */
    void await_arrivals(std::size_t count) const;
    /** What came over the wire since the beginning, as it was. */
    [[nodiscard]] boost::json::array wire() const;

private:
    [[nodiscard]] boost::json::value get(const std::string& path) const;

    weft::http_client client_{};
    std::string root_;
    dialect which_;
    std::size_t told_ = 0;
};

/** Whether a text has a part; else it is told as a failure. */
void expect_part(std::string_view what, std::string_view text, std::string_view part);
/** Whether a conversation has this shape; without the ids where the API has none. */
void expect_shape(std::string_view what, const seen_request& request, std::string shape);

}  // namespace interop::agents
