#include <weft/tool/rpc/json_rpc.hpp>

#include <weft/base/error.hpp>
#include <weft/base/json/json_peek.hpp>
#include <weft/base/json/json_text.hpp>
#include <weft/base/json/utf16_halves.hpp>

#include <boost/json/serialize.hpp>

#include <utility>

namespace weft {

namespace {

using boost::json::object;
using boost::json::value;

[[noreturn]] void refuse_message(std::string why)
{
    throw error{errc::invalid_mcp_message, {}, std::move(why)};
}

/** The id of a message, if it has one that is not null. */
std::optional<json_rpc_id> read_message_id(const object& in)
{
    const value* given = peek_member(in, "id");
    if (!given) return std::nullopt;
    std::optional<json_rpc_id> id = json_rpc_id_of(*given);
    if (!id) refuse_message("its id is neither a whole number nor a text");
    return id;
}

json_rpc_error read_rpc_error(const value& from)
{
    json_rpc_error why;
    const object* in = from.if_object();
    if (!in) {
        why.message = to_json_text(from);
        return why;
    }
    if (const value* code = peek_member(*in, "code"))
        why.code = peek_whole(*code).value_or(json_rpc_code::internal_error);
    why.message = peek_text(*in, "message");
    if (const value* data = peek_member(*in, "data")) why.data = *data;
    return why;
}

json_rpc_message read_call(object& in, std::optional<json_rpc_id> id)
{
    const value& method = in.at("method");
    if (!method.is_string()) refuse_message("its method is not a text");
    object params;
    if (const value* given = peek_member(in, "params")) {
        if (!given->is_object()) refuse_message("its params are no object");
        params = std::move(in.at("params").get_object());
    }
    std::string name{method.get_string()};
    if (id) return json_rpc_message::request(std::move(*id), std::move(name), std::move(params));
    // A request with the id null would never get an answer that says which it is for.
    if (in.contains("id")) refuse_message("it is a request whose id is null");
    return json_rpc_message::notification(std::move(name), std::move(params));
}

}  // namespace

std::string text_of(const json_rpc_id& id)
{
    if (const auto* number = std::get_if<std::int64_t>(&id)) return std::to_string(*number);
    return boost::json::serialize(boost::json::string{std::get<std::string>(id)});
}

value json_of(const json_rpc_id& id)
{
    if (const auto* number = std::get_if<std::int64_t>(&id)) return *number;
    return boost::json::string{std::get<std::string>(id)};
}

std::optional<json_rpc_id> json_rpc_id_of(const value& from)
{
    if (const boost::json::string* text = from.if_string()) return json_rpc_id{std::string{*text}};
    if (const auto number = peek_whole(from)) return json_rpc_id{*number};
    return std::nullopt;
}

json_rpc_message json_rpc_message::request(json_rpc_id id, std::string method, object params)
{
    json_rpc_message made = notification(std::move(method), std::move(params));
    made.kind_ = kind::request;
    made.id_ = std::move(id);
    return made;
}

json_rpc_message json_rpc_message::notification(std::string method, object params)
{
    json_rpc_message made{kind::notification};
    made.method_ = std::move(method);
    made.params_ = std::move(params);
    return made;
}

json_rpc_message json_rpc_message::result(json_rpc_id id, boost::json::value value)
{
    json_rpc_message made{kind::result};
    made.id_ = std::move(id);
    made.value_ = std::move(value);
    return made;
}

json_rpc_message json_rpc_message::error(std::optional<json_rpc_id> id, json_rpc_error why)
{
    json_rpc_message made{kind::error};
    made.id_ = std::move(id);
    made.why_ = std::move(why);
    return made;
}

json_rpc_message json_rpc_message::parse(std::string_view text)
{
    boost::json::value read = parse_json_with_halves(text);
    if (read.is_array()) refuse_message("it is a batch, which the protocol does not have");
    object* in = read.if_object();
    if (!in) refuse_message("it is no object");
    if (peek_text(*in, "jsonrpc") != "2.0") refuse_message("its member 'jsonrpc' is not \"2.0\"");
    std::optional<json_rpc_id> id = read_message_id(*in);
    if (in->contains("method")) return read_call(*in, std::move(id));
    if (const boost::json::value* why = peek_member(*in, "error")) return error(std::move(id), read_rpc_error(*why));
    boost::json::value* answer = in->if_contains("result");
    if (!answer) refuse_message("it has neither a method nor a result nor an error");
    if (!id) refuse_message("it is a result without an id");
    return result(std::move(*id), std::move(*answer));
}

std::string json_rpc_message::text() const
{
    object out;
    out["jsonrpc"] = "2.0";
    if (id_)
        out["id"] = json_of(*id_);
    else if (kind_ == kind::error)
        out["id"] = nullptr;
    switch (kind_) {
    case kind::request:
    case kind::notification:
        out["method"] = method_;
        if (!params_.empty()) out["params"] = params_;
        break;
    case kind::result: out["result"] = value_; break;
    case kind::error:
        object why{{"code", why_.code}, {"message", why_.message}};
        if (!why_.data.is_null()) why["data"] = why_.data;
        out["error"] = std::move(why);
        break;
    }
    return boost::json::serialize(out);
}

}  // namespace weft
