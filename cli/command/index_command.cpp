#include "commands.hpp"

#include "graph/graph_file.hpp"
#include "graph/run_input.hpp"
#include "run/run_registry.hpp"
#include "store/store_place.hpp"
#include "store/store_problem.hpp"
#include "terminal/console.hpp"
#include "terminal/exit_codes.hpp"
#include "terminal/list_option.hpp"

#include <weft/agent/memory/document_index.hpp>
#include <weft/async/run_blocking.hpp>
#include <weft/base/environment.hpp>
#include <weft/base/error.hpp>
#include <weft/model/model_error.hpp>
#include <weft/store/item_space.hpp>

#include <cstdint>
#include <iostream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace weft_cli {

namespace {

struct index_args {
    store_args store = {};
    std::vector<std::string> files = {};
    bool forgets = false;
    std::uint32_t passage_bytes = 1'500;
};

std::string count_of_passages(std::size_t count)
{
    return std::to_string(count) + (count == 1 ? " passage" : " passages");
}

std::string text_to_index(const std::string& file)
{
    file_text read = read_file(file);
    if (!read.text) throw usage_error{file + ": " + read.trouble};
    return std::move(*read.text);
}

weft::task<int> index_files(store_place place, index_args args, std::shared_ptr<weft::embedding_model> model)
{
    const std::string tenant = place.tenant;
    const opened_store opened = co_await open_whole_store(std::move(place), store_use::make);
    const weft::item_space whole{opened.items, tenant};
    const weft::item_space space = whole.below(std::vector<std::string>(1, "documents"));
    const weft::semantic_items documents{space, std::move(model), weft::document_fields()};
    const weft::passage_options how{.bytes_max = args.passage_bytes};
    for (const std::string& file : args.files) {
        std::size_t count = 0;
        if (args.forgets) {
            count = co_await weft::forget_document(documents, file);
        } else {
            weft::indexed_document document{file, text_to_index(file)};
            count = co_await weft::index_document(documents, std::move(document), how);
        }
        std::cout << console::harmless_line(file) << ": " << count_of_passages(count)
                  << (args.forgets ? " forgotten" : "") << '\n';
    }
    co_return all_good;
}

int index_as_said(const index_args& args)
{
    try {
        const weft::environment_lookup environment = weft::process_environment();
        std::shared_ptr<weft::embedding_model> model = embeddings_of(environment);
        if (!model)
            throw usage_error{"no model of embeddings is configured: set WEFT_EMBEDDING_URL and "
                              "WEFT_EMBEDDING_MODEL, or OPENAI_API_KEY; see MODELS.md"};
        store_place place = store_place::of(args.store, environment);
        return weft::run_blocking(index_files(std::move(place), args, std::move(model)));
    } catch (const usage_error& e) {
        return tell_wrong("index", e);
    } catch (const weft::model_error& e) {
        static_cast<void>(tell_wrong("index", e));
        return has_failed;
    } catch (const weft::error& e) {  // the environment names no model that can be asked, or the store says no
        return tell_wrong("index", e);
    }
}

}  // namespace

void add_index_command(CLI::App& app, int& exit_code)
{
    const auto args = std::make_shared<index_args>();
    CLI::App& command =
        *app.add_subcommand("index", "Put documents where nodes of the kind retrieve find them by meaning");
    command.add_option("files", args->files, "Plain text or Markdown; each takes the place of what it was")
        ->required()
        ->type_name("FILE");
    command.add_flag("--forget", args->forgets, "Remove these documents, by the names they were given as");
    command.add_option("--passage-bytes", args->passage_bytes, "The longest passage")
        ->check(CLI::Range(std::uint32_t{16}, std::uint32_t{100'000}))
        ->type_name("N")
        ->capture_default_str();
    add_store_options(command, args->store);
    command.footer(R"(A document is divided at its headings and between paragraphs. The model of embeddings that the
environment names gives each passage a vector. weft run searches them, with --memory and the same store or in a
thread of it, by the kind retrieve and by the tool search_documents.

Examples:
  weft index docs/*.md --store notes.db
  weft run answer.json --memory notes.db -i 'question=How do I resume a run?'

Exit status: 0 indexed, 1 the model or the store says no, 2 wrong usage.)");
    command.callback([args, &exit_code] { exit_code = index_as_said(*args); });
}

}  // namespace weft_cli
