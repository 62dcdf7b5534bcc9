#pragma once

#include "graph/document/document_outline.hpp"

#include <weft/base/text/text_lines.hpp>
#include <weft/graph/graph_spec.hpp>
#include <weft/graph/document/graph_file_format.hpp>
#include <weft/graph/spec/spec_mistake.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace weft::spec_detail {

/** All mistakes of a file and of those it names. */
struct mistake_list {
    std::size_t max;
    std::vector<spec_mistake> mistakes;
    std::size_t count = 0;  ///< With those beyond `max`.
};

/** One file that is being read, and where its mistakes are.
 *
 *  @par Lifetimes   The text and the list outlive it.
 */
class spec_document final : public spec_mistakes {
public:
    /** @param format   Of the text; `by_name`: by the name of the file. */
    spec_document(std::string file, graph_file_format format, std::string_view text, mistake_list& all);

    /** The spec, as far as it could be read; nothing if the text is too large, or no object. */
    [[nodiscard]] std::optional<graph_spec> read(std::size_t bytes_max);
    /** Whether no mistake of shape hides names of nodes or keys. Asked right after `read`. */
    [[nodiscard]] bool has_all_names() const noexcept { return has_all_names_; }

    void add(const json_path& at, std::string text) override;
    void add_at_name(const json_path& at, std::string text) override;
    [[nodiscard]] std::size_t count() const noexcept override { return all_.count; }
    [[nodiscard]] bool is_full() const noexcept override { return all_.count >= all_.max; }

private:
    [[nodiscard]] std::optional<boost::json::value> parse();
    [[nodiscard]] std::optional<boost::json::value> parse_as_json();
    [[nodiscard]] std::optional<boost::json::value> parse_as_yaml();
    [[nodiscard]] const document_outline& outline();
    void refuse_endless_numbers(boost::json::value& in, const json_path& at);
    void refuse(text_position at, std::string why);
    void add_at(std::size_t offset, std::string path, std::string text);
    void add_repeated_members(const boost::json::value& parsed);
    void note_shape(const json_path& at);

    std::string file_;
    graph_file_format format_;
    std::size_t bytes_;  // with a byte order mark
    std::string_view text_;
    mistake_list& all_;
    std::optional<document_outline> outline_;
    std::optional<text_lines> lines_;
    bool has_all_names_ = true;
};

}  // namespace weft::spec_detail
