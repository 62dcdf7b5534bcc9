#include "run_stubs.hpp"

#include "graph/run_input.hpp"

#include <weft/base/error.hpp>
#include <weft/base/json.hpp>
#include <weft/graph/node_context.hpp>
#include <weft/graph/spec/spec_mistake.hpp>

#include <string_view>
#include <utility>

namespace weft_cli {

namespace {

void write_values(weft::node_context& context, const boost::json::object& values)
{
    for (const boost::json::key_value_pair& member : values) {
        const std::string name{member.key()};
        const std::uint32_t slot = context.layout().find(name);
        if (slot == weft::state_layout::none)
            throw weft::error{weft::errc::unknown_state_key, "the stub of node '" + std::string{context.node()} + "'",
                              "the graph has no key '" + name + "'" +
                                  weft::known_names(name, context.layout().names())};
        weft::value_ptr update;
        try {
            update = context.layout()[slot].type->update->from_json(member.value());
        } catch (const weft::error& e) {
            throw weft::error{weft::errc::state_conversion,
                              "the stub of node '" + std::string{context.node()} + "', key '" + name + "'", e.detail()};
        }
        context.write({slot, false, false, std::move(update)});
    }
}

std::string names_of(const std::set<std::string>& names)
{
    std::string text;
    for (const std::string& name : names) text += (text.empty() ? "'" : ", '") + name + "'";
    return text;
}

}  // namespace

stubbed_functions::stubbed_functions(const std::vector<std::string>& args)
{
    for (const std::string& word : args) {
        const auto [name, text] = split_at_equals("--stub", word);
        boost::json::value value;
        try {
            value = weft::parse_json(text);
        } catch (const weft::error& e) {
            throw usage_error{"--stub " + name + ": " + e.what()};
        }
        if (!value.is_object())
            throw usage_error{"--stub " + name + ": expected a JSON object of what the node writes, e.g. --stub '" +
                              name + "={\"answer\": \"yes\"}'"};
        values_.insert_or_assign(name, std::move(value.get_object()));
    }
}

void stubbed_functions::add_to(weft::node_registry& registry) const
{
    std::map<std::string, std::shared_ptr<const weft::node_body>, std::less<>> bodies;
    for (const auto& [name, values] : values_)
        bodies.emplace(name, weft::make_node_body([values](weft::node_context& c) { write_values(c, values); }));
    auto missing = weft::make_node_body([] {});
    registry.functions_otherwise(
        [bodies = std::move(bodies), missing = std::move(missing), asked = asked_](std::string_view name) {
            const auto found = bodies.find(name);
            (found == bodies.end() ? asked->missing : asked->used).emplace(name);
            return found == bodies.end() ? missing : found->second;
        });
}

void stubbed_functions::check_names(const std::string& file) const
{
    if (!asked_->missing.empty()) {
        const bool is_one = asked_->missing.size() == 1;
        throw usage_error{file + " needs " + (is_one ? "a function" : "functions") + " of a C++ program: " +
                          names_of(asked_->missing) + ". Run it in that program, or say by hand what a node with " +
                          (is_one ? "it" : "each of them") + " writes: --stub '" + *asked_->missing.begin() +
                          "={\"KEY\": VALUE}'"};
    }
    for (const auto& [name, values] : values_) {
        if (asked_->used.contains(name)) continue;
        const std::vector<std::string_view> known{asked_->used.begin(), asked_->used.end()};
        throw usage_error{"--stub " + name + ": no node of " + file + " uses this function" +
                          weft::known_names(name, known)};
    }
}

}  // namespace weft_cli
