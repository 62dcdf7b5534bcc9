#pragma once

#include <weft/net/url.hpp>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/** The client's half of A2A, decided without I/O: cards, messages, and what comes of a task. */
namespace weft::agent_detail {

/** How an agent is called. */
struct a2a_interface {
    weft::url at;
    bool is_rpc = true;      ///< JSON-RPC; else HTTP+JSON.
    bool is_legacy = false;  ///< In the dialect of 0.3.
    bool streams = false;
    std::string tenant = {};
};

/** The way of a card that is spoken here: of 1.0 JSON-RPC or HTTP+JSON, whatever stands first, else JSON-RPC of 0.3.
 *  @param where   For errors.
 *  @par Errors    `errc::unexpected_json`: it is no card; `errc::agent_refused`: it has no such way. */
[[nodiscard]] a2a_interface read_a2a_card(const boost::json::value& card, const std::string& where);

/** Where the card of an agent is. */
[[nodiscard]] url a2a_card_url(const url& agent);

/** A message to an agent. */
struct a2a_words {
    std::string id = {};
    boost::json::array parts = {};  ///< In the form of 1.0: texts and data.
    std::string context = {};
    std::string task = {};
    std::string skill = {};
};

/** A request to an agent; without a body it is a GET. */
struct a2a_wire_request {
    weft::url target;
    std::string body = {};
};
[[nodiscard]] a2a_wire_request a2a_send_request(const a2a_interface& to, const a2a_words& words);
[[nodiscard]] a2a_wire_request a2a_get_request(const a2a_interface& to, const std::string& task);

/** What an answer, or an event of a stream, holds.
 *  @par Errors   `errc::agent_refused` with the words of the agent, `errc::http_unavailable` for a failure of its own;
 *                `errc::invalid_json`, `errc::unexpected_json`. */
[[nodiscard]] boost::json::object a2a_result(const a2a_interface& from, std::string_view text,
                                             const std::string& where);
/** What a refusal says for people; nothing if it is none of this protocol. */
[[nodiscard]] std::optional<std::string> a2a_refusal_text(std::string_view body);

/** A task as it comes about: takes results and events of streams. */
class a2a_progress {
public:
    /** Hears pieces of the output (`output`), what else the agent says (`progress`), and `retract` when the pieces
     *  before do not count. */
    using tell_function = std::function<void(std::string_view kind, std::string_view text)>;

    explicit a2a_progress(tell_function tell) : tell_{std::move(tell)} {}

    void take(const boost::json::object& item);
    /** Whether nothing follows without another message. */
    [[nodiscard]] bool rests() const noexcept;
    /** The same within a stream, whose first event may be the task as it stood before the message. */
    [[nodiscard]] bool has_come_to_rest() const noexcept { return has_moved_ && rests(); }
    [[nodiscard]] const std::string& task() const noexcept { return task_; }
    /** `input-required`, as states are called in 0.3. */
    [[nodiscard]] const std::string& state() const noexcept { return state_; }
    /** `{"task", "context", "state", "output", "said", "questions"}`: what it leaves. The output is a text, or data if
     *  it is one piece of data. */
    [[nodiscard]] boost::json::object outcome() const;

private:
    struct artifact {
        std::string id;
        std::string text;
        std::vector<boost::json::value> data;
        bool has_files = false;
    };
    void take_task(const boost::json::object& task);
    void take_message(const boost::json::object& message);
    void take_status(const boost::json::value* status, bool is_update);
    void take_artifact(const boost::json::object& given, bool appends);
    void note_names(const boost::json::object& of, std::string_view task_name);
    void tell_all();
    [[nodiscard]] std::string whole_text() const;

    tell_function tell_;
    std::string task_;
    std::string context_;
    std::string state_;
    bool has_moved_ = false;  // the state comes from an update, or a message
    std::vector<artifact> artifacts_;
    boost::json::object asked_;  // the message of the last status
    std::string told_;           // what watchers have heard of the output
};

}  // namespace weft::agent_detail
