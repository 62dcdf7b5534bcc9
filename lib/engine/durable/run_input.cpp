#include "run_input.hpp"

#include "engine/run/run_access.hpp"
#include "run_limits.hpp"

#include <weft/base/error.hpp>
#include <weft/base/json.hpp>
#include <weft/base/json/json_peek.hpp>

#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>

#include <utility>

namespace weft {

namespace {

boost::json::array written_updates(state_update& values)
{
    boost::json::array updates;
    for (const state_update::item& item : values.items()) {
        const key_type& type = *item.key.type;
        const value_type& as = item.is_overwrite ? *type.value : *type.update;
        if (type.is_transient || !as.to_json) continue;
        boost::json::object update{{"key", item.key.name}};
        // Without a value the key is to have none.
        if (item.value) update.emplace("value", as.to_json(*item.value));
        if (item.is_overwrite) update.emplace("overwrite", true);
        updates.push_back(std::move(update));
    }
    return updates;
}

state_update::item read_update(const boost::json::object& update, const state_layout& layout)
{
    const std::string_view name = update.at("key").as_string();
    const std::uint32_t slot = layout.find(name);
    if (slot == state_layout::none) throw error{errc::unknown_state_key, "input", "'" + std::string{name} + "'"};
    const key_type& type = *layout[slot].type;
    const bool is_overwrite = update.contains("overwrite");
    const value_type& as = is_overwrite ? *type.value : *type.update;
    if (!as.from_json) throw error{errc::state_conversion, "input", "key '" + std::string{name} + "' is transient"};
    const any_state_key key{layout[slot].name, hash_of_name(layout[slot].name), &type};
    const boost::json::value* const value = update.if_contains("value");
    return {key, value ? as.from_json(*value) : nullptr, is_overwrite};
}

}  // namespace

std::string write_run_input(run_request& request, run_beginning begins)
{
    boost::json::object input;
    if (const auto* const values = run_request_access::json_values(request)) input.emplace("values", *values);
    if (state_update* const values = run_request_access::first_values(request))
        if (boost::json::array updates = written_updates(*values); !updates.empty())
            input.emplace("updates", std::move(updates));
    if (const auto& trace = request.trace_of())
        input.emplace("trace", boost::json::object{{"parent", trace->parent}, {"state", trace->state}});
    if (request.has_options()) input.emplace("limits", written_limits(request.limits()));
    if (request.does_save_input()) input.emplace("saves_input", true);
    if (begins == run_beginning::anew) input.emplace("anew", true);
    return input.empty() ? std::string{} : boost::json::serialize(input);
}

run_beginning beginning_of_input(std::string_view text)
{
    if (text.empty()) return run_beginning::where_it_stands;
    const boost::json::value parsed = parse_json(text);
    const boost::json::object* const input = parsed.if_object();
    return input && input->contains("anew") ? run_beginning::anew : run_beginning::where_it_stands;
}

void give_trace_of_input(std::string_view text, run_request& into)
{
    if (into.trace_of() || text.find("\"trace\"") == text.npos) return;
    const boost::json::value parsed = parse_json(text);
    const boost::json::object* const input = parsed.if_object();
    const boost::json::object* const trace = input ? peek_object(*input, "trace") : nullptr;
    if (!trace) return;
    if (auto context = trace_context::read(peek_text(*trace, "parent"), peek_text(*trace, "state")))
        into.trace(std::move(*context));
}

void give_limits_of_input(std::string_view text, const run_options& of_graph, run_request& into)
{
    if (into.has_options() || text.find("\"limits\"") == text.npos) return;
    const boost::json::value parsed = parse_json(text);
    const boost::json::object* const input = parsed.if_object();
    const boost::json::object* const limits = input ? peek_object(*input, "limits") : nullptr;
    if (limits) into.options(read_limits(*limits, of_graph));
}

std::string input_with_limits(std::string_view text, const run_options& limits)
{
    boost::json::object input;
    if (!text.empty()) {
        boost::json::value parsed = parse_json(text);
        if (boost::json::object* const known = parsed.if_object()) input = std::move(*known);
    }
    input.insert_or_assign("limits", written_limits(limits));
    return boost::json::serialize(input);
}

run_request read_run_input(std::string_view text, const state_layout& layout, run_request into)
{
    if (text.empty()) return into;
    try {
        const boost::json::value parsed = parse_json(text);
        const boost::json::object& input = parsed.as_object();
        if (const boost::json::value* const values = input.if_contains("values")) {
            boost::json::object all{values->as_object()};
            if (const boost::json::object* const own = run_request_access::json_values(into))
                for (const boost::json::key_value_pair& newer : *own)
                    all.insert_or_assign(newer.key(), newer.value());
            into.input(std::move(all));
        }
        if (peek_flag(input, "saves_input", false)) into.saves_input();
        state_update updates;
        if (const boost::json::value* const all = input.if_contains("updates"))
            for (const boost::json::value& update : all->as_array())
                updates.items().push_back(read_update(update.as_object(), layout));
        if (!updates.is_empty()) into.input(std::move(updates));
    } catch (const error&) {
        throw;
    } catch (const std::exception& wrong) {  // of Boost.JSON: a member is missing or of another kind
        throw error{errc::unexpected_json, "input of a run", wrong.what()};
    }
    return into;
}

}  // namespace weft
