#pragma once

#include "document_mistakes.hpp"
#include "document_outline.hpp"

#include <weft/base/text/json_path.hpp>

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/mark.h>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

namespace weft {

/** What a node of a YAML text holds; its parts are in the outline. */
struct yaml_node {
    enum class kind : std::uint8_t { plain, quoted, list, object, alias, left_out };
    kind what = kind::plain;
    document_outline::node target = document_outline::whole;  ///< Of an alias: what it stands for.
    std::string text = {};                                    ///< Of a scalar.
};

/** Builds the nodes of a document while yaml-cpp reads it, and stops it where it is too deep.
 *
 *  yaml-cpp calls it before it goes into a list or an object, so that its own recursion is bounded too. The places that
 *  it gives are bytes of the text, behind a byte order mark.
 */
class yaml_tree final : public YAML::EventHandler {
public:
    /** Thrown through yaml-cpp, after the mistake that ends the reading was added. */
    struct stopped {};

    /** @param mistakes   Outlives it. */
    explicit yaml_tree(document_mistakes& mistakes) : mistakes_{mistakes}, nodes_(1) {}

    [[nodiscard]] const document_outline& outline() const noexcept { return outline_; }
    [[nodiscard]] document_outline take_outline() noexcept { return std::move(outline_); }
    [[nodiscard]] const yaml_node& content(document_outline::node which) const { return nodes_[which]; }
    /** Where the last scalar begins, if it has quotes. */
    [[nodiscard]] std::optional<std::size_t> quoted_at_end() const noexcept { return quoted_at_end_; }

    void OnDocumentStart(const YAML::Mark& mark) override;
    void OnDocumentEnd() override {}
    void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override;
    void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override;
    void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  const std::string& text) override;
    void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                         YAML::EmitterStyle::value style) override;
    void OnSequenceEnd() override { end_container(); }
    void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                    YAML::EmitterStyle::value style) override;
    void OnMapEnd() override { end_container(); }

private:
    /** A list or an object that has begun and not ended. */
    struct open_container {
        open_container(document_outline::node node, bool is_object) : node{node}, is_object{is_object} {}
        open_container(document_outline::node node, bool is_object, const json_path& parent, std::string_view name)
            : node{node}, is_object{is_object}, at{parent, name}
        {
        }
        open_container(document_outline::node node, bool is_object, const json_path& parent, std::size_t index)
            : node{node}, is_object{is_object}, at{parent, index}
        {
        }

        document_outline::node node;
        bool is_object;
        json_path at = {};
        bool has_name = false;  // of the member whose value comes next
        document_outline::node member = document_outline::whole;
        std::string name = {};
        std::unordered_set<std::string> names = {};
    };

    [[nodiscard]] bool is_object_open() const { return !open_.empty() && open_.back().is_object; }
    [[nodiscard]] bool expects_name() const { return is_object_open() && !open_.back().has_name; }
    [[nodiscard]] document_outline::node begin_value(std::size_t offset, YAML::anchor_t anchor, yaml_node holds);
    void end_value();
    void begin_container(std::size_t offset, const std::string& tag, YAML::anchor_t anchor, yaml_node::kind what);
    void end_container();
    void take_name(std::size_t offset, const std::string& name, bool is_quoted);
    void refuse_name(std::size_t offset, std::string_view why);
    void refuse_tag(std::size_t offset, const std::string& tag);
    void mistake(std::size_t offset, std::string_view text);
    void require_depth(std::size_t offset);

    document_mistakes& mistakes_;
    document_outline outline_;
    std::vector<yaml_node> nodes_;                                // beside those of the outline
    std::vector<std::optional<document_outline::node>> anchors_;  // nothing for those that stand at a name
    std::deque<open_container> open_;                             // whose addresses stay
    std::size_t depth_in_name_ = 0;  // of lists and objects that stand in place of a name
    std::optional<std::size_t> quoted_at_end_;
    bool has_document_ = false;
};

}  // namespace weft
