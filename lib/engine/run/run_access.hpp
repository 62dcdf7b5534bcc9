#pragma once

#include <weft/engine/run_request.hpp>
#include <weft/engine/run_result.hpp>

#include <boost/json/object.hpp>

#include <memory>
#include <optional>
#include <utility>

namespace weft {

/** What the engine sees of a request beyond what users see. */
struct run_request_access {
    /** Whether everything but its first values is as by default. */
    [[nodiscard]] static bool asks_nothing(const run_request& of) noexcept { return !of.data_; }
    /** Null if there are none. */
    [[nodiscard]] static state_update* first_values(run_request& of) noexcept { return of.input_.get(); }
    /** The run has them: it keeps them only once. */
    static void drop_first_values(run_request& of) noexcept { of.input_.reset(); }
    /** Null if there are none. */
    [[nodiscard]] static const boost::json::object* json_values(const run_request& of) noexcept
    {
        return of.seen().json_input.get();
    }
    /** Null if there are none. */
    [[nodiscard]] static const question_answers* answers(const run_request& of) noexcept
    {
        return of.seen().answers.get();
    }
    [[nodiscard]] static std::optional<interrupts> on_questions(const run_request& of) noexcept
    {
        return of.seen().on_questions;
    }
    [[nodiscard]] static const std::shared_ptr<effect_journal>& journal(const run_request& of) noexcept
    {
        return of.seen().journal;
    }
    /** With a nil id: the run names itself. */
    [[nodiscard]] static const run_identity& identity(const run_request& of) noexcept { return of.seen().identity; }
};

/** How the engine fills in a result. */
struct run_result_access {
    static void set_trail(run_result& of, graph what, node_path path, pooled_vector<std::uint32_t> visits)
    {
        of.graph_.emplace(std::move(what));
        of.path_ = std::move(path);
        of.visits_ = std::move(visits);
    }
    /** The same of a run that came along the first nodes of the graph's line and nowhere else. */
    static void set_line(run_result& of, graph what, std::uint32_t nodes)
    {
        of.graph_.emplace(std::move(what));
        of.line_ = nodes;
    }
};

}  // namespace weft
