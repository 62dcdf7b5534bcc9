#include "call_notes.hpp"

#include "serve/wire/run_notes.hpp"

#include <weft/base/error.hpp>
#include <weft/base/json.hpp>
#include <weft/base/json/json_peek.hpp>
#include <weft/base/text/base64.hpp>
#include <weft/net/text/digest.hpp>

#include <utility>

namespace weft::serve_detail {

namespace {

constexpr std::string_view question_prefix = "ask.";

}  // namespace

std::string tenant_of(const mcp_caller& caller)
{
    return caller.context ? static_cast<const mcp_tenant*>(caller.context.get())->tenant : std::string{};
}

boost::json::object note_json(const mcp_note& note)
{
    boost::json::object out;
    out["session"] = note.session;
    out["request"] = note.request;
    if (!note.progress.is_null()) out["progress"] = note.progress;
    return out;
}

std::optional<mcp_note> mcp_note_of(const run_record& run)
{
    const boost::json::value metadata = parse_json(run.metadata);
    const boost::json::object* const all = metadata.if_object();
    const boost::json::object* const in = all ? peek_object(*all, run_notes::mcp) : nullptr;
    if (!in) return std::nullopt;
    mcp_note note;
    note.session = peek_text(*in, "session");
    if (const boost::json::value* const request = peek_member(*in, "request")) note.request = *request;
    if (const boost::json::value* const progress = peek_member(*in, "progress")) note.progress = *progress;
    return note;
}

std::string session_digest(std::string_view session) { return to_hex(net_detail::sha256(session)); }

std::string question_id(run_id run, std::string_view address)
{
    return std::string{question_prefix} + run.text() + "." + to_base64url(address);
}

std::optional<named_question> question_named(std::string_view id)
{
    if (!id.starts_with(question_prefix)) return std::nullopt;
    id.remove_prefix(question_prefix.size());
    const std::size_t dot = id.find('.');
    if (dot == id.npos) return std::nullopt;
    const std::optional<run_id> run = run_id::parse(id.substr(0, dot));
    std::optional<std::string> address = from_base64url(id.substr(dot + 1));
    if (!run || !address) return std::nullopt;
    return named_question{*run, std::move(*address)};
}

}  // namespace weft::serve_detail
