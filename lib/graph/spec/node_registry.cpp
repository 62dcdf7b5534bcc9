#include <weft/graph/node_registry.hpp>

#include <weft/base/error.hpp>
#include <weft/graph/state/state_layout.hpp>

#include <algorithm>
#include <array>
#include <utility>

namespace weft {

namespace {

constexpr std::array<std::string_view, 6> fixed_kinds{"function", "set", "router", "send", "subgraph", "join"};

template <class Map>
std::vector<std::string_view> names_in(const Map& map)
{
    std::vector<std::string_view> names;
    for (const auto& [name, value] : map) names.emplace_back(name);
    return names;
}

}  // namespace

void node_request::mistake(std::string_view member, std::string text)
{
    if (member.empty()) return around_.mistakes.add(at_, std::move(text));
    around_.mistakes.add(json_path{settings_at_, member}, std::move(text));
}

void node_request::warn(std::string text)
{
    around_.warnings.push_back("node '" + spec_.name + "': " + std::move(text));
}

std::string_view node_request::description_of(std::string_view key) const noexcept
{
    for (const key_spec& declared : around_.keys)
        if (declared.name == key) return declared.description;
    return {};
}

bool node_request::may_write(std::string_view key) const
{
    if (!spec_.writes) return true;
    if (!writable_) writable_.emplace(spec_.writes->begin(), spec_.writes->end());
    return writable_->contains(key);
}

bool node_request::may_read(std::string_view key) const
{
    if (!spec_.reads) return true;
    if (!readable_) readable_.emplace(spec_.reads->begin(), spec_.reads->end());
    // A node sees its own writes, so what it may write it may read.
    return readable_->contains(key) || (spec_.writes && may_write(key));
}

void node_request::require_readable(std::string_view member, std::string_view key, const std::string& before)
{
    if (member.empty()) return require_readable(at_, key, before);
    require_readable(json_path{settings_at_, member}, key, before);
}

void node_request::require_readable(const json_path& at, std::string_view key, const std::string& before)
{
    const std::string name{key};
    spec_mistakes& mistakes = around_.mistakes;
    if (!is_declared(key)) {
        std::vector<std::string_view> known;
        if (!mistakes.is_full())
            for (const key_spec& declared : around_.keys) known.emplace_back(declared.name);
        mistakes.add(at, before + "there is no key '" + name + "'" + known_names(mistakes, key, known));
    } else if (!may_read(key)) {
        mistakes.add(at, before + "the node's reads do not name '" + name + "': add it there");
    }
}

bool node_request::is_declared(std::string_view key)
{
    if (layout().find(key) != state_layout::none || !around_.has_all_names) return true;
    if (!declared_) {
        declared_.emplace();
        for (const key_spec& declared : around_.keys) declared_->insert(declared.name);
    }
    return declared_->contains(key);
}

node_registry::node_registry() : nothing_{make_node_body([] {})}
{
    add_type<std::string>("string").add_type<std::int64_t>("integer").add_type<double>("number");
    add_type<bool>("boolean").add_type<boost::json::array>("list").add_type<boost::json::object>("object");
    add_type<boost::json::value>("any");
}

node_registry& node_registry::conversation(const graph_conversation& how)
{
    conversation_ = how;
    return *this;
}

node_registry& node_registry::add_kind(std::string name, node_kind kind)
{
    // Files mean the same in every program.
    if (std::find(fixed_kinds.begin(), fixed_kinds.end(), name) != fixed_kinds.end())
        throw error{errc::invalid_configuration, "node kind '" + name + "'", "is always there: choose another name"};
    if (!kind.make)
        throw error{errc::invalid_configuration, "node kind '" + name + "'", "has nothing that makes nodes"};
    kinds_.insert_or_assign(std::move(name), std::move(kind));
    return *this;
}

node_registry& node_registry::node_cache(std::optional<weft::node_cache> where)
{
    node_cache_ = std::move(where);
    return *this;
}

node_registry& node_registry::functions_otherwise(
    std::function<std::shared_ptr<const node_body>(std::string_view name)> source)
{
    functions_otherwise_ = std::move(source);
    return *this;
}

std::shared_ptr<const node_body> node_registry::function(std::string_view name) const
{
    if (const auto found = functions_.find(name); found != functions_.end()) return found->second;
    // Only what is not registered: a program cannot shadow its own functions.
    return functions_otherwise_ ? functions_otherwise_(name) : nullptr;
}

const node_kind* node_registry::kind(std::string_view name) const
{
    const auto found = kinds_.find(name);
    return found == kinds_.end() ? nullptr : &found->second;
}

const spec_key_types* node_registry::type(std::string_view name) const
{
    const auto found = types_.find(name);
    return found == types_.end() ? nullptr : &found->second;
}

std::vector<std::string_view> node_registry::function_names() const { return names_in(functions_); }
std::vector<std::string_view> node_registry::type_names() const { return names_in(types_); }

std::vector<std::string_view> node_registry::kind_names() const
{
    std::vector<std::string_view> names{fixed_kinds.begin(), fixed_kinds.end()};
    for (const auto& [name, kind] : kinds_) names.emplace_back(name);
    return names;
}

// By identity: the graph shares the body with the registry, so a function that is registered twice has two names.
std::string_view node_registry::name_of(const node_body& body) const noexcept
{
    for (const auto& [name, known] : functions_)
        if (known.get() == &body) return name;
    return {};
}

std::optional<std::pair<std::string_view, spec_reducer>> node_registry::name_of(const key_type& type) const noexcept
{
    for (const auto& [name, types] : types_)
        for (std::size_t i = 0; i < types.size(); ++i)
            if (types[i] == &type) return std::pair{std::string_view{name}, static_cast<spec_reducer>(i)};
    return std::nullopt;
}

}  // namespace weft
