#pragma once

#include <weft/async/task.hpp>
#include <weft/base/chrono.hpp>
#include <weft/chat/tool_call.hpp>
#include <weft/chat/tool_spec.hpp>
#include <weft/tool/tool_context.hpp>
#include <weft/tool/tool_result.hpp>

#include <boost/json/object.hpp>

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace weft {

/** One call of a tool, ready to be carried out. */
struct tool_invocation {
    // Declared, so that a temporary survives g++ 12 inside a co_await expression (docs/COMPILERS.md).
    tool_invocation() {}
    tool_invocation(tool_call as_written, boost::json::object read)
        : call{std::move(as_written)}, arguments{std::move(read)}
    {
    }

    tool_call call;                 ///< As the model wrote it, or as a policy rewrote it.
    boost::json::object arguments;  ///< Parsed, and accepted by the tool's schema; empty for a tool that takes text.
    tool_context context;
};

/** How a tool may be treated. The default is the careful one, except that calls run side by side. */
struct tool_traits {
    tool_traits() {}

    bool is_parallel = true;     ///< May run beside other calls; else it has the turn to itself.
    bool is_idempotent = false;  ///< A second call with the same id does no harm: a failed one may be tried again.
    bool is_read_only = false;   ///< Changes nothing outside; for policies.
    bool is_destructive = false; ///< May destroy what cannot be brought back; for policies.
    bool hands_over = false;     ///< Gives the conversation to another node: no other call of the turn is carried out.
    bool is_remote = false;      ///< Carried out elsewhere, where the result is posted from; see `remote_results`.
    /** Its result is the answer to a question of the run: it has no time limit, and the answer is its record. */
    bool asks_client = false;
    std::optional<std::chrono::nanoseconds> timeout;  ///< Instead of the runner's.
    std::vector<std::string> tags;                    ///< For choosing some tools of a set.
};

/** Something that a model can have done.
 *
 *  Its caller has checked the arguments against the schema, answers every call and limits its time
 *  (`tool_runner`); a tool does its work and nothing else.
 *
 *  @par Thread safety   One object serves calls of all runs on all OS threads at the same time; it must bear that.
 */
class tool {
public:
    virtual ~tool() = default;

    /** What the model is told. The name never changes. */
    [[nodiscard]] virtual tool_spec spec() const = 0;
    [[nodiscard]] virtual tool_traits traits() const { return {}; }

    /** Does the work.
     *
     *  @return   What came of it; `is_error` when the model should read why it did not work and may try otherwise.
     *
     *  @par Errors          Whatever the work throws; the runner makes an error result of it.
     *  @par Cancellation    A stop of the awaiting chain ends the work with `errc::cancelled`, soon.
     *  @par Lifetimes       The tool outlives the task; what `invocation.context` points to does as well. */
    [[nodiscard]] virtual task<tool_result> call(tool_invocation invocation) = 0;

protected:
    tool() = default;
    tool(const tool&) = default;
    tool& operator=(const tool&) = default;
};

}  // namespace weft
