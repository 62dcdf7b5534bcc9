#pragma once

#include "mcp_session_table.hpp"
#include "outlet.hpp"

#include <weft/async/scope.hpp>
#include <weft/async/task.hpp>
#include <weft/tool/mcp_server/mcp_server_context.hpp>

#include <boost/json/object.hpp>

#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace weft::mcp_detail {

class mcp_core;

/** A request of a client while it is answered.
 *
 *  @par Lifetimes   The core outlives it. */
class served_call {
public:
    /** From whom a request comes, and where its messages go. */
    struct origin {
        mcp_peer client;                          ///< Of the modern era; else the session's counts.
        mcp_caller caller;
        std::shared_ptr<server_session> session;  ///< Null in the modern era over HTTP.
        std::shared_ptr<outlet> out;
        std::string resumed_key = {};     ///< Of a stream that was elsewhere.
        std::string resumed_behind = {};
    };

    served_call(mcp_core& core, json_rpc_message request, origin from);
    served_call(const served_call&) = delete;
    served_call& operator=(const served_call&) = delete;

    [[nodiscard]] const json_rpc_message& request() const noexcept { return request_; }
    [[nodiscard]] const mcp_peer& client() const noexcept;
    [[nodiscard]] bool is_modern() const noexcept { return client().era == mcp_era::modern; }
    [[nodiscard]] const mcp_caller& caller() const noexcept { return from_.caller; }
    [[nodiscard]] server_session* session() const noexcept { return from_.session.get(); }
    [[nodiscard]] outlet& out() const noexcept { return *from_.out; }
    [[nodiscard]] const std::shared_ptr<outlet>& shared_out() const noexcept { return from_.out; }
    [[nodiscard]] mcp_core& core() const noexcept { return core_; }
    [[nodiscard]] const origin& from() const noexcept { return from_; }

    [[nodiscard]] bool wants_progress() const noexcept { return !progress_token_.is_null(); }
    void progress(double done, std::optional<double> total, std::string_view message);
    void log(std::string_view level, boost::json::value data, std::string_view logger);
    [[nodiscard]] task<boost::json::object> ask(std::string method, boost::json::object params, std::string name);
    [[nodiscard]] task<boost::json::object> ask_all(boost::json::object questions);
    void mark(std::string text) { mark_ = std::move(text); }
    void send(const json_rpc_message& message, bool may_be_lost);

    /** The client does not want the answer any more. */
    void cancel();
    /** Ends it for another reason: no answer. */
    void stop();
    [[nodiscard]] bool is_cancelled() const noexcept { return is_cancelled_; }
    [[nodiscard]] bool is_stopped() const noexcept { return is_stopped_; }
    void works_in(scope* work) noexcept { work_ = work; }

private:
    void require_client_can(std::string_view method, const boost::json::object& params) const;
    [[nodiscard]] boost::json::object ask_again(boost::json::object questions);
    [[nodiscard]] task<boost::json::object> ask_now(std::string method, boost::json::object params);
    void read_answers();
    [[nodiscard]] std::string bound() const;

    mcp_core& core_;
    json_rpc_message request_;
    origin from_;
    boost::json::value progress_token_;
    double progress_ = -std::numeric_limits<double>::infinity();
    std::string mark_;
    std::optional<boost::json::object> answers_;  // of the modern era, once they were asked for
    std::size_t asks_ = 0;
    scope* work_ = nullptr;
    bool is_cancelled_ = false;
    bool is_stopped_ = false;
};

}  // namespace weft::mcp_detail
