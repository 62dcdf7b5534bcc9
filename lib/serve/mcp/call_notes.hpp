#pragma once

#include <weft/base/system/ids.hpp>
#include <weft/store/record/run_record.hpp>
#include <weft/tool/mcp_server/mcp_peer.hpp>

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <optional>
#include <string>
#include <string_view>

namespace weft::serve_detail {

/** On whose behalf a tool is called: the context of an `mcp_caller`. */
struct mcp_tenant {
    std::string tenant = {};
};
/** Whose a call is. */
[[nodiscard]] std::string tenant_of(const mcp_caller& caller);

/** What a run that was begun over MCP remembers of its call, in its metadata. */
struct mcp_note {
    std::string session = {};          ///< The digest of its id.
    boost::json::value request = {};   ///< The id of the call.
    boost::json::value progress = {};  ///< Its progress token; null: none.
};
[[nodiscard]] boost::json::object note_json(const mcp_note& note);
/** Nothing if the run was begun otherwise. */
[[nodiscard]] std::optional<mcp_note> mcp_note_of(const run_record& run);
[[nodiscard]] std::string session_digest(std::string_view session);

/** The id of the request that asks a question of a run, and what it names. */
[[nodiscard]] std::string question_id(run_id run, std::string_view address);
struct named_question {
    run_id run;
    std::string address;
};
[[nodiscard]] std::optional<named_question> question_named(std::string_view id);

}  // namespace weft::serve_detail
