#pragma once

#include "mcp_offer.hpp"
#include "mcp_session_table.hpp"
#include "request_state.hpp"
#include "served_call.hpp"

#include <weft/async/loop/stop_scope.hpp>
#include <weft/async/scope.hpp>
#include <weft/async/task/task_context.hpp>

#include <list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace weft::mcp_detail {

/** A subscription of the modern era, for as long as its call is under way. */
struct server_listener {
    std::shared_ptr<outlet> out;
    boost::json::value id;
    bool tools = false;
    bool prompts = false;
    bool resources = false;
    std::set<std::string, std::less<>> uris;
};

/** What an `mcp_server` is made of: what it offers, its sessions, and the calls under way, which no connection owns.
 *
 *  @par Thread safety   None: it belongs to the loop that `bind` named first. */
class mcp_core {
public:
    explicit mcp_core(mcp_server_options options);
    mcp_core(const mcp_core&) = delete;
    mcp_core& operator=(const mcp_core&) = delete;

    /** It belongs to this loop from now on. */
    void bind(serial_loop& loop);
    [[nodiscard]] serial_loop& loop() const noexcept { return *context_.loop; }

    [[nodiscard]] boost::json::object capabilities() const;
    [[nodiscard]] boost::json::object identity() const;

    /** Begins to answer a request, which goes on whatever becomes of its client. Its outlet gets the answer.
     *  @return  Null: too many are under way; the outlet has the refusal. */
    std::shared_ptr<served_call> begin(json_rpc_message request, served_call::origin from);

    /** A notification or an answer of a client.
     *  @return  False: an answer that nothing waits for. */
    [[nodiscard]] task<bool> take(std::shared_ptr<server_session> session, json_rpc_message message);

    void tell_list_changed(mcp_list which);
    void tell_resource_updated(std::string_view uri);
    void tell_error(std::string_view where, std::string_view what) const;

    const mcp_server_options options;
    mcp_offer offer;
    mcp_session_table sessions;
    request_state states;
    std::list<server_listener> listeners;

private:
    struct outcome;
    using handler = task<boost::json::object>;

    std::shared_ptr<served_call> spawn(std::shared_ptr<served_call> call, std::optional<handler> work);
    static task<void> run(mcp_core& self, std::shared_ptr<served_call> call, handler work);
    static task<void> carry_out(mcp_core& self, served_call& call, handler work, outcome& into);
    void end_running(served_call& call);
    [[nodiscard]] boost::json::object decorated(boost::json::object result, const served_call& call) const;

    std::size_t running_ = 0;
    stop_scope stop_;
    task_context context_{nullptr, &stop_};
    std::optional<scope> children_;  // last: its children use everything above
};

}  // namespace weft::mcp_detail
