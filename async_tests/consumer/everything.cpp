#include <weft/model/openai_model.hpp>
#include <weft/weft.hpp>

#include <iostream>

int main()
{
    const weft::http_client client;
    const weft::openai_model model{client, {.base_url = "https://localhost:1/v1", .model = "none"}};
    std::cout << model.label() << '\n';
    return model.label().empty() ? 1 : 0;
}
