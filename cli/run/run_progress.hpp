#pragma once

#include <weft/chat/usage.hpp>
#include <weft/engine/run_event.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace weft_cli {

/** A visit of a node, as a person follows it. */
struct visit_progress {
    enum class phase : std::uint8_t { working, waiting, done, failed, stopped };

    std::string address;         ///< The nodes, joined by "/", whose graph it happens in.
    std::string address_visits;
    std::string node;
    std::uint32_t number = 1;    ///< Which visit of the node.
    std::uint32_t attempt = 1;
    std::uint32_t branch = 0;
    phase now = phase::working;
    weft::time_point since;
    weft::time_point until;      ///< Of what has ended.
    std::string tail;            ///< The end of what it has said, or why its last attempt failed.

    [[nodiscard]] bool has_ended() const noexcept { return now >= phase::done; }
    /** E.g. `research/web, visit 2, attempt 3`; ones are not said. */
    [[nodiscard]] std::string title() const;
    [[nodiscard]] std::string_view phase_name() const noexcept;
};

/** Where a run stands, as its events tell it. Draws nothing. */
class run_progress {
public:
    /** @return   The visit that the event changed, valid until the next call; null if none. */
    const visit_progress* take(const weft::run_event& event);

    /** Visits that are at work or wait for another attempt, oldest first. */
    [[nodiscard]] const std::vector<visit_progress>& open() const noexcept { return open_; }
    /** Visits that were stopped, in the order of their ends. */
    [[nodiscard]] const std::vector<visit_progress>& stopped() const noexcept { return stopped_; }
    [[nodiscard]] const weft::usage& spent() const noexcept { return spent_; }
    [[nodiscard]] weft::time_point began() const noexcept { return began_; }
    [[nodiscard]] std::uint32_t ended() const noexcept { return ended_; }

private:
    [[nodiscard]] std::vector<visit_progress>::iterator find(const weft::run_event& event);
    const visit_progress* start(const weft::run_event& event);
    const visit_progress* hear(const weft::run_event& event);
    const visit_progress* end(const weft::run_event& event, visit_progress::phase how);
    const visit_progress* retry(const weft::run_event& event);

    std::vector<visit_progress> open_;
    std::vector<visit_progress> stopped_;
    visit_progress last_;  // that has just ended
    weft::usage spent_;
    weft::time_point began_;
    std::uint32_t ended_ = 0;
    bool has_begun_ = false;  // what was paused and resumed here is one run to a person
};

}  // namespace weft_cli
