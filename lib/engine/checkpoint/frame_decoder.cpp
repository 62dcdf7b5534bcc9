#include "frame_decoder.hpp"

#include <weft/base/error.hpp>
#include <weft/graph/node/subgraph.hpp>

#include <algorithm>
#include <stdexcept>

namespace weft::checkpoint_detail {

namespace {

constexpr std::string_view frame_place = "checkpoint";

/** The code of a name; that of an unknown error for a name of another version. */
errc code_named(std::string_view name) noexcept
{
    for (int code = 1; name_of(static_cast<errc>(code)) != name_of(static_cast<errc>(0)); ++code)
        if (name_of(static_cast<errc>(code)) == name) return static_cast<errc>(code);
    return errc::node_failed;
}

std::exception_ptr read_cause(record_reader& from)
{
    switch (from.number_up_to(cause_error, "the kind of an exception")) {
    case cause_text: return std::make_exception_ptr(std::runtime_error{std::string{from.text()}});
    case cause_error: {
        const errc code = code_named(from.text());
        std::string where{from.text()};
        return std::make_exception_ptr(error{code, std::move(where), std::string{from.text()}});
    }
    default: return nullptr;
    }
}

}  // namespace

failure_ptr read_failure(record_reader from)
{
    weft::failure result;
    result.code = code_named(from.text());
    result.node = from.text();
    result.visit = from.number32("a visit");
    result.attempt = from.number32("an attempt");
    result.message = from.text();
    result.cause = read_cause(from);
    from.require_end();
    return std::make_shared<const weft::failure>(std::move(result));
}

frame_sections::frame_sections(linked_reader from) : all_{from}
{
    while (const auto section = from.next_section()) {
        if (section->tag >= known || section->tag > static_cast<std::uint32_t>(frame_section::fan_outs)) {
            if (!section->is_needed) continue;
            throw error{errc::store_refused, std::string{frame_place},
                        "it has a part " + std::to_string(section->tag) +
                            " that this version of weft does not know; use a newer one"};
        }
        if (bytes_[section->tag]) from.refuse("a part is there twice");
        bytes_[section->tag] = section->bytes;
    }
}

std::optional<linked_reader> frame_sections::find(frame_section tag) const
{
    constexpr std::array<std::string_view, known> places{
        "checkpoint",          "checkpoint, graph",        "checkpoint, counts", "checkpoint, state",
        "checkpoint, failures", "checkpoint, tokens",      "checkpoint, regions", "checkpoint, path",
        "checkpoint, deferred", "checkpoint, last outputs", "checkpoint, late",   "checkpoint, graphs in nodes",
        "checkpoint, spent",   "checkpoint, elapsed",      "checkpoint, origin", "checkpoint, fan-outs"};
    const auto index = static_cast<std::size_t>(tag);
    if (!bytes_[index]) return std::nullopt;
    return all_.inside(*bytes_[index], places[index]);
}

run_id read_origin(const frame_sections& sections)
{
    auto part = sections.find(frame_section::origin);
    if (!part) return run_id{};
    unique_id id;
    for (std::uint8_t& byte : id.bytes) byte = part->byte();
    part->require_end();
    return run_id{id};
}

std::optional<frontier> frame_decoder::read(linked_reader from, std::size_t depth)
{
    if (depth >= frames_max) from.refuse("graphs are nested in nodes too deep");
    const frame_sections sections{from};
    data_.visits.resize(of_.size());
    if (const auto part = sections.find(frame_section::counts)) read_counts(*part);
    read_state(sections);
    if (const auto part = sections.find(frame_section::failures)) read_failures(*part);
    if (const auto part = sections.find(frame_section::tokens)) read_branches(*part);
    if (const auto part = sections.find(frame_section::regions)) read_regions(*part, region_form::whole);
    if (const auto part = sections.find(frame_section::fan_outs)) read_regions(*part, region_form::lists);
    if (const auto part = sections.find(frame_section::path)) read_path(*part);
    read_extras(sections, depth);
    if (has_problems_) return std::nullopt;
    check_frontier(data_, of_);
    for (branch_index t = 0; t < data_.branches.size(); ++t)
        if (data_.branches[t].phase == branch_phase::broken_off && data_.branches[t].region != no_index)
            data_.regions[data_.branches[t].region].broken_off.push_back(t);
    return frontier{std::move(data_)};
}

void frame_decoder::read_counts(linked_reader from)
{
    data_.steps = from.number32("the number of steps");
    data_.retries = from.number32("the number of retries");
    data_.is_degraded = from.number_up_to(1, "a flag") != 0;
    for (std::size_t left = from.count("the number of nodes"); left > 0; --left) {
        const node_index visited = node(from);
        const std::uint32_t visits = from.number32("a number of visits");
        if (visited < data_.visits.size()) data_.visits[visited] = visits;
    }
    from.require_end();
}

void frame_decoder::read_state(const frame_sections& sections)
{
    state values{of_.layout()};
    // A key that the old graph had begins with what it had then, a new one with its initial value.
    for (const frame_names::key& known : names_.keys())
        if (known.what == frame_names::key::fate::kept && !(*of_.layout())[known.slot].type->is_transient &&
            values.at(known.slot))
            values.writable(known.slot) = nullptr;
    if (auto part = sections.find(frame_section::state)) {
        for (std::size_t left = part->count("the number of values"); left > 0; --left) {
            const frame_names::key& its_key = key(*part);
            value_ptr read = value(*part, its_key, role::value);
            if (read) values.writable(its_key.slot) = std::move(read);
        }
        part->require_end();
    }
    data_.root = std::make_unique<branch_state>(std::move(values));
}

void frame_decoder::read_path(linked_reader from)
{
    const list_tree path = list_tree::read(from);
    from.require_end();
    path.for_each(with_.values.blobs(), [this](std::string_view bytes, std::span<const content_hash>) {
        linked_reader one{bytes, "checkpoint, path", {}};
        const node_index visited = node(one);
        one.require_end();
        if (visited != lost_node) data_.path.push_back(visited);
    });
    data_.path.settle();
}

void frame_decoder::read_failures(linked_reader from)
{
    for (std::size_t left = from.count("the number of failures"); left > 0; --left)
        read_item(from, "checkpoint, failure", with_.values,
                  [this](const linked_reader& part) { failures_.push_back(read_failure(part)); });
    from.require_end();
}

void frame_decoder::read_extras(const frame_sections& sections, std::size_t depth)
{
    const auto extras = [this]() -> frontier_extras& {
        if (!data_.extras) data_.extras = std::make_unique<frontier_extras>();
        return *data_.extras;
    };
    if (auto part = sections.find(frame_section::deferred)) {
        extras();
        for (std::size_t left = part->count("the number of deferred nodes"); left > 0; --left)
            data_.extras->deferred.push_back(needed_node(*part, "it is still to run at the end"));
    }
    if (const auto part = sections.find(frame_section::last_outputs)) {
        extras();
        read_last_outputs(*part);
    }
    if (auto part = sections.find(frame_section::late)) {
        extras();
        for (std::size_t left = part->count("the number of late branches"); left > 0; --left) {
            const auto index = static_cast<branch_index>(part->number_up_to(data_.branches.size(), "a branch"));
            data_.extras->late.emplace_back(index, failure(*part));
        }
    }
    if (const auto part = sections.find(frame_section::inner)) {
        extras();
        read_inner(*part, depth);
    }
    if (const auto part = sections.find(frame_section::spent)) {
        extras();
        read_spent(*part);
    }
    if (auto part = sections.find(frame_section::elapsed)) {
        extras();
        data_.extras->elapsed = std::chrono::nanoseconds{part->signed_number()};
        part->require_end();
    }
    if (const run_id origin = read_origin(sections); !origin.is_nil()) extras().origin = origin;
}

void frame_decoder::read_last_outputs(linked_reader from)
{
    for (std::size_t left = from.count("the number of nodes with outputs"); left > 0; --left) {
        const node_index of = node(from);
        auto writes = std::make_shared<const write_set>(read_writes(from));
        if (of < of_.size()) data_.extras->last_outputs.emplace_back(of, std::move(writes));
    }
    from.require_end();
}

void frame_decoder::read_inner(linked_reader from, std::size_t depth)
{
    for (std::size_t left = from.count("the number of graphs in nodes"); left > 0; --left) {
        const auto branch = static_cast<branch_index>(from.number());
        const auto frame = from.next_section();
        if (!frame || branch >= data_.branches.size()) from.refuse("a graph in a node is missing");
        read_inner_frame(from.inside(frame->bytes, frame_place), branch, depth);
    }
    from.require_end();
}

void frame_decoder::read_inner_frame(linked_reader from, branch_index branch, std::size_t depth)
{
    const node_index at = data_.branches[branch].node;
    if (at >= of_.size() || data_.branches[branch].phase == branch_phase::free)
        from.refuse("a graph in a node has no node");
    const graph_node& its_node = of_.node(at);
    const subgraph* const inner = its_node.body ? its_node.body->inner() : nullptr;
    const auto old = std::find_if(names_.nodes().begin(), names_.nodes().end(),
                                  [at](const frame_names::node& n) { return n.now == at; });
    const bool was_graph = names_.is_same_graph() || (old != names_.nodes().end() && old->inner);
    if (!inner || !was_graph) {
        if (!has_problems_ && names_.is_same_graph()) from.refuse("the node of a graph is none");
        if (!has_problems_)
            problem(graph_change::kind::graph_changed, its_node.name,
                    "the run stands within it, and it is no graph any more");
        return;
    }
    const frame_names names = names_.is_same_graph() ? frame_names{inner->graph()}
                                                     : frame_names{*old->inner, inner->graph(), with_.by};
    auto inside = frame_decoder{inner->graph(), names, with_, prefix_ + its_node.name + "/"}.read(from, depth + 1);
    if (inside)
        data_.extras->inner.emplace_back(branch, std::make_shared<const frontier>(std::move(*inside)));
    else
        has_problems_ = true;
}

void frame_decoder::read_spent(linked_reader from)
{
    spending spent;
    spent.tokens = tokens{from.signed_number()};
    spent.cost = usd_micros{from.signed_number()};
    spent.model_calls = from.signed_number();
    spent.tool_calls = from.signed_number();
    spent.turns = from.signed_number();
    from.require_end();
    data_.extras->spent = spent;
}

const frame_names::node* frame_decoder::old_node(linked_reader& from) const
{
    const std::uint64_t code = from.number();
    if (code < 2) return nullptr;
    if (code - 2 >= names_.nodes().size()) from.refuse("a node is beyond those of the graph");
    return &names_.nodes()[static_cast<std::size_t>(code - 2)];
}

node_index frame_decoder::node(linked_reader& from) const
{
    linked_reader ahead = from;
    const bool is_end = ahead.number() == 1;
    const frame_names::node* const old = old_node(from);
    return old ? old->now : is_end ? end_node : no_node;
}

node_index frame_decoder::needed_node(linked_reader& from, std::string_view why)
{
    linked_reader ahead = from;
    const frame_names::node* const old = old_node(ahead);
    const node_index now = node(from);
    if (now != lost_node) return now;
    problem(graph_change::kind::node_removed, old->old_name,
            "it is gone, and " + std::string{why} + "; bring it back, or register a migration that renames it");
    return start_node;
}

const frame_names::key& frame_decoder::key(linked_reader& from) const
{
    const std::uint64_t index = from.number();
    if (index >= names_.keys().size()) from.refuse("a key is beyond those of the graph");
    return names_.keys()[static_cast<std::size_t>(index)];
}

value_ptr frame_decoder::value(linked_reader& from, const frame_names::key& key, role as)
{
    using fate = frame_names::key::fate;
    const auto skip = [&from] { return read_form(from).tag != value_tag::nothing; };
    if (key.what == fate::dropped) return static_cast<void>(skip()), nullptr;
    if (key.what == fate::lost) {
        if (skip())
            problem(graph_change::kind::key_removed, key.old_name,
                    "it is gone, and has a value; bring it back, or register a migration that drops or renames it");
        return nullptr;
    }
    const key_type& type = *(*of_.layout())[key.slot].type;
    const value_type& wanted = as == role::update ? *type.update : *type.value;
    try {
        if (!wanted.from_json) throw error{errc::state_conversion, "", "its type is not stored any more"};
        return key.rules.empty() ? with_.values.read(from, wanted) : converted(from, key, as);
    } catch (const std::exception& wrong) {
        const auto* const known = dynamic_cast<const error*>(&wrong);
        if (known && known->code() == errc::store_corrupt) throw;
        problem(graph_change::kind::value_refused, key.old_name,
                "its value does not fit any more: " + std::string{wrong.what()} +
                    "; change the type back, or register a migration that converts it");
    }
    return nullptr;
}

value_ptr frame_decoder::converted(linked_reader& from, const frame_names::key& key, role as)
{
    boost::json::value json;
    if (!with_.values.read_json(from, json)) return nullptr;
    for (const graph_migration::key_rule* const rule : key.rules) {
        const auto& convert = as == role::update ? rule->convert_update : rule->convert;
        if (convert) json = convert(json);
    }
    const key_type& type = *(*of_.layout())[key.slot].type;
    return (as == role::update ? type.update : type.value)->from_json(json);
}

failure_ptr frame_decoder::failure(linked_reader& from) const
{
    const std::uint64_t number = from.number_up_to(failures_.size(), "a failure");
    return number == 0 ? nullptr : failures_[static_cast<std::size_t>(number - 1)];
}

void frame_decoder::problem(graph_change::kind what, std::string_view name, std::string detail)
{
    has_problems_ = true;
    graph_change change{what, prefix_ + std::string{name}, std::move(detail), true};
    const bool is_told = std::any_of(with_.problems.begin(), with_.problems.end(), [&](const graph_change& told) {
        return told.what == change.what && told.name == change.name;
    });
    if (!is_told) with_.problems.push_back(std::move(change));
}

}  // namespace weft::checkpoint_detail
