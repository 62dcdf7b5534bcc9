#pragma once

#include <weft/async/task.hpp>
#include <weft/tool/mcp/mcp_client_options.hpp>
#include <weft/tool/mcp/mcp_transport.hpp>
#include <weft/tool/mcp/mcp_types.hpp>

#include <boost/json/object.hpp>

#include <memory>
#include <string>
#include <vector>

namespace weft {

class serial_loop;

/** A client of one server of the Model Context Protocol, of both its eras, over a process or HTTP.
 *
 *      weft::mcp_client files{weft::mcp_stdio(std::move(program))};
 *      weft::mcp_call_result result = co_await files.call_tool("read_file", std::move(arguments));
 *      co_await files.close();
 *
 *  It connects with the first call, and again after the server was lost, within the bounds of the options. Calls run
 *  side by side. A call whose answer was lost with the connection fails; it is made again only where the protocol knows
 *  that it was not carried out, or where its options say that a repetition is safe.
 *
 *  Everything that a server says is untrusted: descriptions and instructions are for a model only if an operator wants
 *  that, and never for its system prompt.
 *
 *  @par Errors
 *    - `errc::mcp_refused`          the server answered with an error; an `mcp_error` has its code and data.
 *    - `errc::mcp_unauthorized`     the server wants other credentials.
 *    - `errc::mcp_unsupported`      no common revision, or the server has not the capability.
 *    - `errc::invalid_mcp_message`  an answer, or a result of a tool, is not what the protocol or the schema allows.
 *    - `errc::timeout`              no answer in time.
 *    - `errc::connection_lost`, `response_truncated` and the other errors of the wire.
 *    - `errc::limit_reached`        too many pages, items, rounds or requests.
 *    - `errc::cancelled`
 *  @par Cancellation    A stop ends a call at once; the server is told, in a message of its own. Late answers are
 *                       dropped.
 *  @par Thread safety   None: it lives on the loop of its first call. `mcp_tools` makes tools for all loops.
 *  @par Lifetimes       Outlives the tasks that it gives out, and must be destroyed on its loop; `close` before takes
 *                       leave of the server.
 *  @par Source          MCP 2025-11-25 and 2026-07-28.
 */
class mcp_client {
public:
    explicit mcp_client(std::unique_ptr<mcp_transport> transport, mcp_client_options options = mcp_client_options{});
    ~mcp_client();
    mcp_client(const mcp_client&) = delete;
    mcp_client& operator=(const mcp_client&) = delete;

    /** Connects, if it is not connected. */
    [[nodiscard]] task<void> connect();
    /** Takes leave of the server. Calls under way fail; later ones do too. */
    [[nodiscard]] task<void> close();

    /** What client and server agreed on; empty before the first connection. */
    [[nodiscard]] const mcp_agreement& agreement() const noexcept;
    [[nodiscard]] bool is_connected() const noexcept;
    /** Names the server, for messages. */
    [[nodiscard]] const std::string& label() const noexcept;
    /** The loop of the first call; null before. */
    [[nodiscard]] serial_loop* loop() const noexcept;

    /** Tells `mcp_client_options::on_noise` of something of the server that is not used. */
    void complain(std::string what) const;

    template <class Item>
    using list = std::shared_ptr<const std::vector<Item>>;

    /** @name Lists
     *  All pages together; kept until the server says that the list changed, its time to live is over, or the server
     *  was lost. Items that cannot be used are left out, and `on_noise` is told why. */
    ///@{
    [[nodiscard]] task<list<mcp_tool>> tools();
    [[nodiscard]] task<list<mcp_resource>> resources();
    [[nodiscard]] task<list<mcp_resource_template>> resource_templates();
    [[nodiscard]] task<list<mcp_prompt>> prompts();
    ///@}

    /** Calls a tool.
     *
     *  @return   What came of it. A failure that the tool itself reports is a result with `is_error`.
     *
     *  @par Errors   As for the class. `errc::invalid_mcp_message` also when the result does not follow the tool's
     *                output schema. */
    [[nodiscard]] task<mcp_call_result> call_tool(std::string name, boost::json::object arguments,
                                                  mcp_call_options options = mcp_call_options{});

    [[nodiscard]] task<std::vector<mcp_resource_content>> read_resource(std::string uri,
                                                                        mcp_call_options options = mcp_call_options{});

    /** @param arguments   Their values are strings. */
    [[nodiscard]] task<mcp_prompt_text> prompt(std::string name, boost::json::object arguments = boost::json::object{},
                                               mcp_call_options options = mcp_call_options{});

    /** Any other request of the protocol; the result as the server sent it. */
    [[nodiscard]] task<boost::json::object> request(std::string method, boost::json::object params,
                                                    mcp_call_options options = mcp_call_options{});

private:
    struct impl;
    std::unique_ptr<impl> impl_;
};

}  // namespace weft
