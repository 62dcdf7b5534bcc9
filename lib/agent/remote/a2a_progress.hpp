#pragma once

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace weft::agent_detail {

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
