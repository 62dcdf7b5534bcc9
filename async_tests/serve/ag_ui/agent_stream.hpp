#pragma once

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <string>
#include <string_view>
#include <vector>

/** The events of an answer. */
[[nodiscard]] std::vector<boost::json::object> agent_events_in(std::string_view body);

/** What breaks the order of events that AG-UI wants; empty: nothing does.
 *  @par Source   AG-UI 1.0, `verifyEvents` of its client. */
[[nodiscard]] std::string disorder_in(const std::vector<boost::json::object>& events);

/** What a client has that took all events: messages as it would send them, and the state. */
struct agent_client_view {
    boost::json::array messages;
    boost::json::value state = boost::json::object{};

    void take(const std::vector<boost::json::object>& events);
    [[nodiscard]] const boost::json::object* find(std::string_view id) const;
};

/** `RUN_STARTED STEP_STARTED …` */
[[nodiscard]] std::string kinds_of(const std::vector<boost::json::object>& events);
/** The text of all pieces. */
[[nodiscard]] std::string text_in_events(const std::vector<boost::json::object>& events);
/** Applies RFC 6902. */
void apply_patch(boost::json::value& to, const boost::json::array& patch);
