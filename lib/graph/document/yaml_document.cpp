#include "yaml_document.hpp"

#include "yaml_scalar.hpp"
#include "yaml_tree.hpp"

#include <weft/base/json/json_read.hpp>
#include <weft/base/utf8.hpp>

#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <array>
#include <sstream>
#include <string>
#include <utility>

namespace weft {

namespace {

using node = document_outline::node;

bool is_stray(char c) noexcept
{
    return (static_cast<unsigned char>(c) < 0x20 && c != '\t' && c != '\n' && c != '\r') || c == 0x7f;
}

/** Where a text has a byte that YAML does not allow; its end if there is none. yaml-cpp would end at some of them. */
std::size_t first_stray_byte(std::string_view text)
{
    const auto control = static_cast<std::size_t>(std::find_if(text.begin(), text.end(), is_stray) - text.begin());
    if (is_valid_utf8(text)) return control;
    std::size_t at = 0;
    while (at < control) {
        const std::size_t size = code_point_bytes(text.substr(at));
        if (!is_valid_utf8(text.substr(at, size))) break;
        at += size;
    }
    return std::min(at, control);
}

/** What a mistake of syntax means where people make it, by the message of yaml-cpp. */
std::string_view explained(std::string_view message)
{
    static constexpr std::array<std::pair<std::string_view, std::string_view>, 11> meanings{{
        {"end of map not found", "the members of this object do not stand in one column, or one has no ':'"},
        {"end of map flow not found", "a '}' is missing, or a ',' between members"},
        {"end of sequence not found", "the items of this list do not stand in one column, or one has no '- '"},
        {"end of sequence flow not found", "a ']' is missing, or a ',' between items"},
        {"illegal map value", "this ':' ends no name: quote a text that has ': ' in it, and check the indentation"},
        {"illegal map key", "a member cannot begin here: check the indentation"},
        {"illegal block entry", "an item cannot begin here: check the indentation; quote a text that begins with '- '"},
        {"illegal EOF in scalar", "a quotation mark is missing"},
        {"unknown token", "a text that begins with '@' or '`' needs quotes"},
        {"the referenced anchor is not defined", "there is no anchor of this name before it; quote a text that begins "
                                                 "with '*'"},
        {"tag handle with no suffix", "quote a text that begins with '!'"},
    }};
    const auto known = std::find_if(meanings.begin(), meanings.end(),
                                    [&](const auto& each) { return message.starts_with(each.first); });
    return known == meanings.end() ? std::string_view{} : known->second;
}

/** Whether a tab stands before the first letter of the line that has an offset. */
bool is_indented_by_tab(std::string_view text, std::size_t offset)
{
    const std::string_view before = text.substr(0, offset);
    const std::string_view line = text.substr(before.rfind('\n') + 1);  // npos + 1 is 0
    const std::string_view indentation = line.substr(0, std::min(line.find_first_not_of(" \t"), line.size()));
    return indentation.find('\t') != indentation.npos;
}

std::string syntax_mistake(std::string_view text, std::size_t offset, const std::string& message)
{
    if (is_indented_by_tab(text, offset)) return "this is no YAML: the line is indented by a tab: use spaces";
    const std::string_view meaning = explained(message);
    return "this is no YAML: " + (meaning.empty() ? message : std::string{meaning});
}

/** Whether a scalar ends with the quote that it begins with; one without quotes, a block of lines, has no need of it.
 *  @param from   Where it begins, perhaps with an anchor. */
bool is_closed(std::string_view text, std::size_t from)
{
    std::string_view rest = text.substr(std::min(from, text.size()));
    while (rest.starts_with('&') || rest.starts_with('!')) {
        rest.remove_prefix(std::min(rest.find_first_of(" \t\r\n"), rest.size()));
        rest.remove_prefix(std::min(rest.find_first_not_of(" \t\r\n"), rest.size()));
    }
    if (rest.empty() || (rest.front() != '"' && rest.front() != '\'')) return true;
    const char quote = rest.front();
    for (std::size_t at = 1; at < rest.size(); ++at) {
        if (quote == '"' && rest[at] == '\\') ++at;
        else if (rest[at] == quote) {
            if (quote == '"' || at + 1 == rest.size() || rest[at + 1] != quote) return true;
            ++at;
        }
    }
    return false;
}

/** Makes values of the nodes of a text. */
class yaml_values {
public:
    struct stopped {};

    yaml_values(const yaml_tree& tree, document_mistakes& mistakes) : tree_{tree}, mistakes_{mistakes} {}

    /** @param is_copy   Whether an alias stands for it. */
    boost::json::value value_of(node which, const json_path& at, bool is_copy)
    {
        const yaml_node& from = tree_.content(which);
        if (is_copy) pay(1 + from.text.size(), which, at);
        switch (from.what) {
        case yaml_node::kind::plain: return value_of_yaml_scalar(from.text);
        case yaml_node::kind::quoted: return boost::json::string{from.text.data(), from.text.size()};
        case yaml_node::kind::list: return list_of(which, at, is_copy);
        case yaml_node::kind::object: return object_of(which, at, is_copy);
        case yaml_node::kind::alias: return value_of(from.target, at, true);
        case yaml_node::kind::left_out: break;
        }
        return nullptr;
    }

private:
    boost::json::array list_of(node which, const json_path& at, bool is_copy)
    {
        require_depth(which, at);
        boost::json::array list;
        list.reserve(tree_.outline().parts_of(which).size());
        for (const node item : tree_.outline().parts_of(which))
            list.push_back(value_of(item, json_path{at, list.size()}, is_copy));
        return list;
    }

    boost::json::object object_of(node which, const json_path& at, bool is_copy)
    {
        require_depth(which, at);
        boost::json::object object;
        object.reserve(tree_.outline().parts_of(which).size());
        for (const node member : tree_.outline().parts_of(which)) {
            if (tree_.content(member).what == yaml_node::kind::left_out) continue;
            const std::string& name = tree_.outline().name_of(member);
            if (is_copy) pay(name.size(), member, at);
            object.insert_or_assign(name, value_of(member, json_path{at, name}, is_copy));
        }
        return object;
    }

    /** Aliases of aliases double what they stand for with every line. */
    void pay(std::size_t weight, node which, const json_path& at)
    {
        if (weight <= left_) {
            left_ -= weight;
            return;
        }
        stop(which, at, "the aliases of this text make it too large: more than " + std::to_string(yaml_bytes_max) +
                            " values and bytes");
    }

    void require_depth(node which, const json_path& at)
    {
        if (at.depth() >= json_depth_max) stop(which, at, "nested deeper than " + std::to_string(json_depth_max));
    }

    [[noreturn]] void stop(node which, const json_path& at, const std::string& why)
    {
        mistakes_.add(tree_.outline().offset_of(which), at, why);
        throw stopped{};
    }

    const yaml_tree& tree_;
    document_mistakes& mistakes_;
    std::size_t left_ = yaml_bytes_max;
};

/** Lets yaml-cpp read a text into a tree; false after a mistake that ended the reading. */
bool read_tree(yaml_tree& tree, std::string_view text, document_mistakes& mistakes)
{
    const json_path whole;
    const auto refuse = [&](std::size_t offset, const std::string& why) {
        mistakes.add(offset, whole, why);
        return false;
    };
    if (const std::size_t stray = first_stray_byte(text); stray < text.size())
        return refuse(stray, is_stray(text[stray]) ? "this is no YAML: a control character" : "the text is no UTF-8");
    std::istringstream stream{std::string{text}};
    try {
        YAML::Parser parser{stream};
        while (parser.HandleNextDocument(tree)) {
        }
    } catch (const YAML::Exception& e) {
        const std::size_t offset = e.mark.pos < 0 ? 0 : static_cast<std::size_t>(e.mark.pos);
        return refuse(offset, syntax_mistake(text, offset, e.msg));
    } catch (const yaml_tree::stopped&) {
        return false;
    }
    // yaml-cpp lets a text in quotes end with the file.
    if (const auto last = tree.quoted_at_end(); last && !is_closed(text, *last))
        return refuse(*last, "this is no YAML: the quotation mark that begins here is not closed");
    return true;
}

}  // namespace

yaml_document read_yaml(std::string_view text, document_mistakes& mistakes)
{
    yaml_document read;
    yaml_tree tree{mistakes};
    if (!read_tree(tree, text, mistakes)) return read;
    try {
        read.value = yaml_values{tree, mistakes}.value_of(document_outline::whole, json_path{}, false);
    } catch (const yaml_values::stopped&) {
        return read;
    }
    read.where = tree.take_outline();
    return read;
}

}  // namespace weft
