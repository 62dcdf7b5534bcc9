#pragma once

#include <weft/tool/rpc/json_rpc.hpp>

#include <boost/json/object.hpp>

#include <stdexcept>
#include <string>
#include <utility>

namespace weft {

/** Thrown by what answers a request of a client: the client gets an error of JSON-RPC in the place of a result.
 *
 *      throw weft::mcp_rejection{weft::json_rpc_code::invalid_params, "there is no page " + name};
 *
 *  What other exceptions of a tool say becomes the text of a result that is an error, for the model to read. */
class mcp_rejection : public std::runtime_error {
public:
    mcp_rejection(std::int64_t code, std::string message, boost::json::value data = nullptr)
        : std::runtime_error{message}, why_{code, std::move(message), std::move(data)}
    {
    }
    [[nodiscard]] const json_rpc_error& why() const noexcept { return why_; }

private:
    json_rpc_error why_;
};

/** Thrown by what answers a request of the modern era: the client is to answer questions and to make the request again,
 *  with `inputResponses` by the names of the questions, and with `requestState`.
 *
 *  It is no `std::exception`, so that a tool that catches those lets it through. */
struct mcp_input_required {
    boost::json::object requests{};  ///< By name: `{"method": …, "params": …}`.
    std::string state{};             ///< Comes back from the client; it may have been changed there.
};

}  // namespace weft
