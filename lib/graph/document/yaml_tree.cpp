#include "yaml_tree.hpp"

#include <weft/base/json/json_read.hpp>

#include <algorithm>
#include <utility>

namespace weft {

namespace {

using node = document_outline::node;

std::size_t offset_of(const YAML::Mark& mark) noexcept
{
    return mark.pos < 0 ? 0 : static_cast<std::size_t>(mark.pos);
}

/** What yaml-cpp gives values that have no tag: `?`, and `!` for those in quotes. */
bool is_tag(const std::string& tag) { return !tag.empty() && tag != "?" && tag != "!"; }

}  // namespace

void yaml_tree::OnDocumentStart(const YAML::Mark& mark)
{
    if (std::exchange(has_document_, true)) {
        mistakes_.add(offset_of(mark), json_path{},
                      "the text goes on behind the graph: a graph file holds one YAML document");
        throw stopped{};
    }
}

void yaml_tree::OnNull(const YAML::Mark& mark, YAML::anchor_t anchor)
{
    quoted_at_end_.reset();
    if (depth_in_name_ > 0) return;
    if (expects_name()) return refuse_name(offset_of(mark), "a member has no name here; quote \"null\" and \"~\"");
    // Where nothing is written, yaml-cpp gives the place of what comes next.
    const bool is_member = is_object_open();
    const std::size_t offset = is_member ? outline_.name_offset_of(open_.back().member) : offset_of(mark);
    (void)begin_value(offset, anchor, {});
    end_value();
}

void yaml_tree::OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor)
{
    quoted_at_end_.reset();
    const std::size_t offset = offset_of(mark);
    if (depth_in_name_ > 0) return;
    if (expects_name()) return refuse_name(offset, "an alias cannot be the name of a member: write the name");
    const std::optional<node> target = anchor < anchors_.size() ? anchors_[anchor] : std::nullopt;
    const bool is_inside = target && std::any_of(open_.begin(), open_.end(), [&target](const open_container& each) {
                               return each.node == *target;
                           });
    if (!target) mistake(offset, "this alias stands for the name of a member: write the name");
    else if (is_inside) mistake(offset, "this alias is inside the value that it stands for");
    if (!target || is_inside) {
        (void)begin_value(offset, 0, {yaml_node::kind::left_out});
    } else {
        const node made = begin_value(offset, 0, {yaml_node::kind::alias, *target});
        outline_.share(made, *target);
    }
    end_value();
}

void yaml_tree::OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor, const std::string& text)
{
    const std::size_t offset = offset_of(mark);
    const bool is_quoted = tag == "!";
    quoted_at_end_.reset();
    if (is_quoted) quoted_at_end_ = offset;
    if (depth_in_name_ > 0) return;
    refuse_tag(offset, tag);
    if (expects_name()) return take_name(offset, text, is_quoted);
    (void)begin_value(offset, anchor,
                      {is_quoted ? yaml_node::kind::quoted : yaml_node::kind::plain, document_outline::whole, text});
    end_value();
}

void yaml_tree::OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                                YAML::EmitterStyle::value)
{
    begin_container(offset_of(mark), tag, anchor, yaml_node::kind::list);
}

void yaml_tree::OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                           YAML::EmitterStyle::value)
{
    begin_container(offset_of(mark), tag, anchor, yaml_node::kind::object);
}

void yaml_tree::begin_container(std::size_t offset, const std::string& tag, YAML::anchor_t anchor, yaml_node::kind what)
{
    quoted_at_end_.reset();
    require_depth(offset);
    if (depth_in_name_ == 0 && expects_name()) {
        refuse_name(offset, "the name of a member is a text, no list or object");
        open_.back().has_name = false;  // until what stands in its place has ended
        depth_in_name_ = 1;
        return;
    }
    if (depth_in_name_ > 0) {
        ++depth_in_name_;
        return;
    }
    refuse_tag(offset, tag);
    const bool is_member = is_object_open();
    const std::size_t index = open_.empty() || is_member ? 0 : outline_.parts_of(open_.back().node).size();
    const node made = begin_value(offset, anchor, {what});
    const bool is_object = what == yaml_node::kind::object;
    if (open_.empty()) open_.emplace_back(made, is_object);
    else if (is_member) open_.emplace_back(made, is_object, open_.back().at, std::string_view{open_.back().name});
    else open_.emplace_back(made, is_object, open_.back().at, index);
}

void yaml_tree::end_container()
{
    if (depth_in_name_ > 0) {
        if (--depth_in_name_ == 0) open_.back().has_name = true;
        return;
    }
    open_.pop_back();
    end_value();
}

/** The node of a value that begins: the whole text, the next item of a list, or the member whose name has been read. */
node yaml_tree::begin_value(std::size_t offset, YAML::anchor_t anchor, yaml_node holds)
{
    node made = document_outline::whole;
    if (is_object_open()) made = open_.back().member;
    else if (!open_.empty()) made = outline_.add_item(open_.back().node, offset);
    outline_.place(made, offset);
    if (made >= nodes_.size()) nodes_.resize(made + std::size_t{1});
    // A member whose name was refused is left out of its object.
    if (nodes_[made].what != yaml_node::kind::left_out) nodes_[made] = std::move(holds);
    if (anchor != 0) {
        anchors_.resize(std::max<std::size_t>(anchors_.size(), anchor + 1));
        anchors_[anchor] = made;
    }
    return made;
}

void yaml_tree::end_value()
{
    if (is_object_open()) open_.back().has_name = false;
}

void yaml_tree::take_name(std::size_t offset, const std::string& name, bool is_quoted)
{
    open_container& around = open_.back();
    if (name == "<<" && !is_quoted)
        return refuse_name(offset, "'<<' joins objects in YAML 1.1 only: write the members out, or quote \"<<\"");
    around.name = name;
    around.has_name = true;
    around.member = outline_.add_member(around.node, offset, name);
    nodes_.resize(around.member + std::size_t{1});
    const json_path at{around.at, around.name};
    if (!around.names.insert(name).second)
        mistakes_.add(offset, at, "there is a member '" + name + "' already: keep one");
}

/** Says why a name cannot be one; the member's value is read, and left out. */
void yaml_tree::refuse_name(std::size_t offset, std::string_view why)
{
    open_container& around = open_.back();
    mistakes_.add(offset, around.at, why);
    around.name.clear();
    around.has_name = true;
    around.member = outline_.add_member(around.node, offset, {});
    nodes_.resize(around.member + std::size_t{1});
    nodes_[around.member].what = yaml_node::kind::left_out;
}

void yaml_tree::refuse_tag(std::size_t offset, const std::string& tag)
{
    if (is_tag(tag)) mistake(offset, "tags, as !!str, are not read: write the value itself, a text in quotes");
}

/** Adds a mistake in the value that begins. */
void yaml_tree::mistake(std::size_t offset, std::string_view text)
{
    const json_path whole;
    if (open_.empty()) return mistakes_.add(offset, whole, text);
    const open_container& around = open_.back();
    if (!is_object_open())
        return mistakes_.add(offset, json_path{around.at, outline_.parts_of(around.node).size()}, text);
    if (around.has_name) return mistakes_.add(offset, json_path{around.at, around.name}, text);
    mistakes_.add(offset, around.at, text);
}

void yaml_tree::require_depth(std::size_t offset)
{
    if (open_.size() + depth_in_name_ < json_depth_max) return;
    mistake(offset, "nested deeper than " + std::to_string(json_depth_max));
    throw stopped{};
}

}  // namespace weft
